#include <fovea/runtime/describe/machine_limits.hpp>

#include <fovea/backends/buffer.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace fovea::core {
namespace {

// Twelve independent chains of multiply-adds: more than any machine needs to hide their latency. Written out,
// for an array of sums would live in memory. And a sum of all that is read, by eight loads at a time.
#define FOVEA_LIMITS(isa, lanes)                                                                             \
  __attribute__((target(isa), noinline)) void multiply_add_##lanes(std::size_t steps) {                      \
    typedef float vector __attribute__((vector_size(lanes * 4)));                                            \
    vector a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}, i{}, j{}, k{}, l{};                                       \
    vector x{}, y{};                                                                                         \
    asm volatile("" : "+v"(x), "+v"(y));                                                                     \
    for (std::size_t step = 0; step < steps; ++step) {                                                       \
      a += x * y, b += x * y, c += x * y, d += x * y, e += x * y, f += x * y;                                \
      g += x * y, h += x * y, i += x * y, j += x * y, k += x * y, l += x * y;                                \
      asm volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f));                               \
      asm volatile("" : "+v"(g), "+v"(h), "+v"(i), "+v"(j), "+v"(k), "+v"(l));                               \
    }                                                                                                        \
  }                                                                                                          \
  __attribute__((target(isa), noinline)) void read_##lanes(const float* from, std::size_t count) {           \
    typedef float vector __attribute__((vector_size(lanes * 4)));                                            \
    vector a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{};                                                           \
    const auto* at = reinterpret_cast<const vector*>(from);                                                  \
    const auto* end = at + count / (8 * lanes) * 8;                                                          \
    for (; at != end; at += 8)                                                                               \
      a += at[0], b += at[1], c += at[2], d += at[3], e += at[4], f += at[5], g += at[6], h += at[7];        \
    asm volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h));               \
  }
FOVEA_LIMITS("avx512f,fma", 16)
FOVEA_LIMITS("avx2,fma", 8)
FOVEA_LIMITS("sse2", 4)
#undef FOVEA_LIMITS

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

double multiply_add_rate(thread_pool& pool, std::size_t lanes, int runs) {
  constexpr std::size_t steps = 2000;
  const double us = best_us(runs, [&] {
    pool.run(pool.size() * 8, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t i = first; i < last; ++i)
        lanes == 16 ? multiply_add_16(steps) : lanes == 8 ? multiply_add_8(steps) : multiply_add_4(steps);
    });
  });
  return static_cast<double>(pool.size() * 8 * steps * 12 * lanes) / us;
}

double read_rate(thread_pool& pool, std::size_t lanes, const float* from, std::size_t count, int runs) {
  constexpr std::size_t block = 4096;
  const std::size_t passes =
      std::max(std::size_t{1}, (std::size_t{1} << 18) / count); // so that a clock can tell
  const double us = best_us(runs, [&] {
    pool.run((count + block - 1) / block, [&](std::size_t first, std::size_t last, std::size_t) {
      const float* begin = from + first * block;
      const std::size_t floats = std::min(last * block, count) - first * block;
      for (std::size_t pass = 0; pass < passes; ++pass)
        lanes == 16 ? read_16(begin, floats) : lanes == 8 ? read_8(begin, floats) : read_4(begin, floats);
    });
  });
  return static_cast<double>(passes * count * sizeof(float)) / us;
}

double machine_limits::flops() {
  constexpr int runs = 500;
  if (flops_ == 0) flops_ = 2e-3 * multiply_add_rate(pool_, lanes_, runs);
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
    rate = 1e-3 * read_rate(pool_, lanes_, read.data(), count, runs);
  }
  return rate;
}

} // namespace fovea::core
