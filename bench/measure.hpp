#pragma once

// What the benchmarks share: buffers, times (the best of many, which other processes disturb least, and the
// median), and the machine's limits: its rate of fused multiply-adds and its bandwidth of reading.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fovea/base/memory.hpp>
#include <fovea/base/threads.hpp>
#include <memory>
#include <vector>

namespace fovea::core::bench {

using std::size_t;

struct aligned_free {
  void operator()(float* p) const { free_lines(p); }
};
using buffer = std::unique_ptr<float[], aligned_free>;

inline buffer floats(size_t count) {
  buffer b(static_cast<float*>(allocate_lines(count * sizeof(float))));
  for (size_t i = 0; i < count; ++i) b[i] = static_cast<float>(i % 17) * 0.01f - 0.08f;
  return b;
}

inline double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

template <class F>
inline double time_us(F f) {
  const double start = now_us();
  f();
  return now_us() - start;
}

/// Microseconds of the runs of one thing.
class timings {
public:
  void add(double us) { us_.push_back(us); }
  template <class F>
  void take(int repeats, F f) {
    for (int i = 0; i < repeats; ++i) add(time_us(f));
  }
  double best() const { return us_.empty() ? 0 : *std::min_element(us_.begin(), us_.end()); }
  /// Of so many in a hundred, the longest.
  double percentile(int share) const {
    if (us_.empty()) return 0;
    std::vector<double> sorted = us_;
    const auto at =
        sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) * static_cast<size_t>(share) / 100);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }
  double median() const { return percentile(50); }
  /// Of one of the `parts` that each run consists of.
  timings per(double parts) const {
    timings each = *this;
    for (double& us : each.us_) us /= parts;
    return each;
  }

private:
  std::vector<double> us_;
};

template <class F>
inline timings times_us(int repeats, F f) {
  timings made;
  made.take(repeats, f);
  return made;
}

template <class F>
inline double best_us(int repeats, F f) {
  return times_us(repeats, f).best();
}

// Twelve independent chains of multiply-adds: more than any machine needs to hide their latency. Written out,
// for an array of sums would live in memory. And a sum of all that is read, by eight loads at a time.
#define FOVEA_LIMITS(isa, lanes)                                                                             \
  __attribute__((target(isa), noinline)) inline void multiply_add_##lanes(size_t steps) {                    \
    typedef float vector __attribute__((vector_size(lanes * 4)));                                            \
    vector a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}, i{}, j{}, k{}, l{};                                       \
    vector x{}, y{};                                                                                         \
    asm volatile("" : "+v"(x), "+v"(y));                                                                     \
    for (size_t step = 0; step < steps; ++step) {                                                            \
      a += x * y, b += x * y, c += x * y, d += x * y, e += x * y, f += x * y;                                \
      g += x * y, h += x * y, i += x * y, j += x * y, k += x * y, l += x * y;                                \
      asm volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f));                               \
      asm volatile("" : "+v"(g), "+v"(h), "+v"(i), "+v"(j), "+v"(k), "+v"(l));                               \
    }                                                                                                        \
  }                                                                                                          \
  __attribute__((target(isa), noinline)) inline void read_##lanes(const float* from, size_t count) {         \
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

/// Multiply-adds in a microsecond, all threads together. Many short runs: one of them finds every processor
/// free.
inline double peak_rate(thread_pool& pool, size_t lanes) {
  constexpr size_t steps = 2000;
  const double us = best_us(10000, [&] {
    pool.run(pool.size() * 8, [&](size_t first, size_t last, size_t) {
      for (size_t i = first; i < last; ++i)
        lanes == 16 ? multiply_add_16(steps) : lanes == 8 ? multiply_add_8(steps) : multiply_add_4(steps);
    });
  });
  return static_cast<double>(pool.size() * 8 * steps * 12 * lanes) / us;
}

/// Bytes in a microsecond when a buffer of `count` floats is read again and again.
inline double read_rate(thread_pool& pool, size_t lanes, const float* from, size_t count) {
  constexpr size_t block = 4096;
  const size_t passes = std::max(size_t{1}, (size_t{1} << 18) / count); // so that a clock can tell
  const double us = best_us(300, [&] {
    pool.run((count + block - 1) / block, [&](size_t first, size_t last, size_t) {
      const float* begin = from + first * block;
      const size_t floats = std::min(last * block, count) - first * block;
      for (size_t pass = 0; pass < passes; ++pass)
        lanes == 16 ? read_16(begin, floats) : lanes == 8 ? read_8(begin, floats) : read_4(begin, floats);
    });
  });
  return static_cast<double>(passes * count * sizeof(float)) / us;
}

} // namespace fovea::core::bench
