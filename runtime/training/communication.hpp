#pragma once

#include <cstdint>

#include <fovea/backends/told_span.hpp>

namespace fovea::core {

/// How long a rank had something under way to the others, and how much of that it waited for it and did
/// nothing else, in all steps so far.
struct communication {
  double seconds = 0, waited = 0;
  /// The share that went on beside the rank's own work, from 0 to 1.
  double hidden() const { return seconds > 0 ? 1 - waited / seconds : 0; }
};

namespace detail {

/// What `communication` is counted by; traces are told of it, too.
class communication_clock {
public:
  communication so_far() const {
    return {static_cast<double>(under_way_) * 1e-9, static_cast<double>(waited_) * 1e-9};
  }

  /// When something has begun.
  std::int64_t begin() {
    const std::int64_t now = span_clock();
    if (open_++ == 0) since_ = now;
    return now;
  }
  /// It is over.
  void end(const char* name, std::int64_t began) { end({name, began, span_clock(), false}); }

  /// The rank waits for the others in its life, which is told if it has a name.
  class waiting {
  public:
    explicit waiting(communication_clock& of, const char* name = nullptr)
        : of_(of), name_(name), began_(of.begin()) {}
    ~waiting() {
      const told_span span{name_, began_, span_clock(), true};
      of_.waited_ += span.end - span.begin;
      of_.end(span);
    }
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;

  private:
    communication_clock& of_;
    const char* name_;
    std::int64_t began_;
  };

private:
  void end(const told_span& span) {
    if (--open_ == 0) under_way_ += span.end - since_;
    if (span.name != nullptr && spans_are_wanted()) tell(span);
  }

  std::int64_t under_way_ = 0, waited_ = 0, since_ = 0;
  int open_ = 0;
};

} // namespace detail

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::communication;
} // namespace fovea
