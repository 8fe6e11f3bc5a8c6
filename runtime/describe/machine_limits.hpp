#pragma once

#include <fovea/base/threads.hpp>

#include <cstddef>
#include <map>

namespace fovea::core {

// What the machine can do at best, measured now. `lanes` is how many floats a vector has: 4, 8 or 16. Many short runs,
// of which the best counts: one of them finds every processor free.

/// Multiply-adds in a microsecond, all threads together.
double multiply_add_rate(thread_pool& pool, std::size_t lanes, int runs = 10000);
/// Bytes in a microsecond where a buffer of `count` floats is read again and again.
double read_rate(thread_pool& pool, std::size_t lanes, const float* from, std::size_t count, int runs = 300);

/// Both, measured in some hundredths of a second each when they are asked for, and kept.
class machine_limits {
public:
  machine_limits(std::size_t threads, std::size_t lanes) : pool_(threads), lanes_(lanes) {}

  /// Floating-point operations in a nanosecond.
  double flops();
  /// Bytes in a nanosecond, of those that are read again and again: caches hold few of them, memory all.
  double bandwidth(double bytes);

private:
  thread_pool pool_;
  std::size_t lanes_;
  double flops_ = 0;
  std::map<std::size_t, double> bandwidths_;
};

} // namespace fovea::core
