#pragma once

#include <fovea/base/threads.hpp>

#include <cstddef>
#include <map>
#include <string_view>

namespace fovea::core {

// What the machine can do at best with the vectors of an instruction set, measured now. Many short runs, of which the
// best counts: one of them finds every processor free.

/// Multiply-adds in a microsecond, all threads together.
double multiply_add_rate(thread_pool& pool, std::string_view set, int runs = 10000);
/// Bytes in a microsecond where a buffer of `count` floats is read again and again.
double read_rate(thread_pool& pool, std::string_view set, const float* from, std::size_t count,
                 int runs = 300);

/// Both, measured in some hundredths of a second each when they are asked for, and kept.
class machine_limits {
public:
  machine_limits(std::size_t threads, std::string_view set) : pool_(threads), set_(set) {}

  /// Floating-point operations in a nanosecond.
  double flops();
  /// Bytes in a nanosecond, of those that are read again and again: caches hold few of them, memory all.
  double bandwidth(double bytes);

private:
  thread_pool pool_;
  std::string_view set_;
  double flops_ = 0;
  std::map<std::size_t, double> bandwidths_;
};

} // namespace fovea::core
