#pragma once

#include <functional>

namespace fovea::core::test {

/// What befalls allocations from its construction to its end: the one of this number, counted from 0, finds
/// no memory, and with `all_after` none behind it does either.
class failing_allocations {
public:
  explicit failing_allocations(long number, bool all_after = false);
  ~failing_allocations();
  failing_allocations(const failing_allocations&) = delete;
  failing_allocations& operator=(const failing_allocations&) = delete;

  /// Whether there were so many.
  static bool have_struck();
};

/// Blocks of memory that were taken and not given back; 0 where a sanitizer counts them.
long blocks_in_use();

/// What befalls system calls that a file is saved by, and of those on files alone: open, write, fsync,
/// linkat, rename and unlink.
enum class fault { none, fails, writes_part, kills };

/// What befalls the call of a number, counted from 0, from its construction to its end. A write that is cut
/// writes half, and the next one fails. With `named`, the file system knows no files without a name.
class faulty_call {
public:
  faulty_call(fault what, long number, bool named);
  ~faulty_call();
  faulty_call(const faulty_call&) = delete;
  faulty_call& operator=(const faulty_call&) = delete;

  /// Whether there were so many.
  static bool has_struck();
};

} // namespace fovea::core::test
