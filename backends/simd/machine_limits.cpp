#include <fovea/backends/machine_limits.hpp>

#include <fovea/backends/buffer.hpp>
#include <fovea/backends/simd/isa/dispatch.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace fovea::core {
namespace {

template <class F>
double best_us(int runs, F f) {
  using namespace std::chrono;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const auto start = steady_clock::now();
    f();
    best = std::min(best, duration<double, std::micro>(steady_clock::now() - start).count());
  }
  return best;
}

} // namespace

double multiply_add_rate(thread_pool& pool, std::string_view set, int runs) {
  constexpr std::size_t steps = 2000;
  const simd::limits_kernel& limits = simd::kernel_named<simd::kernel_name::limits>(set);
  const double us = best_us(runs, [&] {
    pool.run(pool.size() * 8, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i) limits.run(steps);
    });
  });
  return static_cast<double>(pool.size() * 8 * steps * limits.floats_a_step) / us;
}

double read_rate(thread_pool& pool, std::string_view set, const float* from, std::size_t count, int runs) {
  constexpr std::size_t block = 4096;
  const std::size_t passes =
      std::max(std::size_t{1}, (std::size_t{1} << 18) / count); // so that a clock can tell
  const simd::limits_kernel& limits = simd::kernel_named<simd::kernel_name::limits>(set);
  const double us = best_us(runs, [&] {
    pool.run((count + block - 1) / block, [&](std::size_t first, std::size_t last, std::size_t) {
      const float* begin = from + first * block;
      const std::size_t floats = std::min(last * block, count) - first * block;
      for (std::size_t pass = 0; pass < passes; ++pass) limits.read(begin, floats);
    });
  });
  return static_cast<double>(passes * count * sizeof(float)) / us;
}

double machine_limits::flops() {
  constexpr int runs = 500;
  if (flops_ == 0) flops_ = 2e-3 * multiply_add_rate(pool_, set_, runs);
  return flops_;
}

double machine_limits::bandwidth(double bytes) {
  constexpr std::size_t least = 1 << 12,
                        most = 1 << 26; // floats: half of a first-level cache, more than any cache
  std::size_t count = least;
  while (count < most && static_cast<double>(count * sizeof(float)) < bytes) count *= 2;
  double& rate = bandwidths_[count];
  if (rate == 0) {
    const auto read = buffer::from_shape({count});
    std::fill_n(const_cast<float*>(read.data()), count, 1.0f);
    const int runs = static_cast<int>(
        std::max<std::size_t>(5, (std::size_t{1} << 25) / std::max(count, std::size_t{1} << 18)));
    rate = 1e-3 * read_rate(pool_, set_, read.data(), count, runs);
  }
  return rate;
}

} // namespace fovea::core
