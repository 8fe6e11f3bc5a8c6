#pragma once

#include <cstddef>
#include <span>

#include <fovea/base/file_path.hpp>

namespace fovea::core {

/// How a file is held.
///
///   copy  read into memory at once. Otherwise it is mapped: nothing is read until it is touched, processes
///         share it, and who replaces the file does so by renaming another to its name. A mapped file that is
///         cut short ends the program (SIGBUS), and one that is written over changes under it.
struct load_options {
  bool copy = false;
};

/// A regular file's bytes for as long as the object lives. Throws fovea::error that names the file and the
/// system's reason when it can't be opened, mapped or read.
class mapped_file {
public:
  explicit mapped_file(const file_path& path, load_options how = {});
  /// What is in memory already, as if it were a file. Without `copy` it must live as long as this does.
  mapped_file(std::span<const std::byte> bytes, const file_path& name, load_options how);
  ~mapped_file();
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Has the system take no memory for a part, where it is mapped, until it is touched again. Bytes of others are left alone.
  void let_go(std::span<const std::byte> part) const noexcept;

private:
  enum class held { mapped, copied, given };
  held held_;
  std::span<const std::byte> bytes_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::load_options;
} // namespace fovea
