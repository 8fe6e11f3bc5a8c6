#pragma once

// What the benchmarks share: buffers, times (best of many, which other processes disturb least), and the
// machine's limits: its rate of fused multiply-adds and its bandwidth of reading.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fovea/runtime/threads.hpp>
#include <memory>

namespace fovea::bench {

using std::size_t;

struct aligned_free {
  void operator()(float* p) const { std::free(p); }
};
using buffer = std::unique_ptr<float[], aligned_free>;

inline buffer floats(size_t count) {
  buffer b(static_cast<float*>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64)));
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

template <class F>
inline double best_us(int repeats, F f) {
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) best = std::min(best, time_us(f));
  return best;
}

// Twelve independent chains of multiply-adds: more than any machine needs to hide their latency. Written out,
// for an array of sums would live in memory.
#define FOVEA_PEAK(isa, lanes)                                                                               \
  __attribute__((target(isa), noinline)) inline void peak_##lanes(size_t steps) {                            \
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
  }
FOVEA_PEAK("avx512f,fma", 16)
FOVEA_PEAK("avx2,fma", 8)
FOVEA_PEAK("sse2", 4)
#undef FOVEA_PEAK

/// Multiply-adds in a microsecond, all threads together. Many short runs: one of them finds every processor
/// free.
inline double peak_rate(thread_pool& pool, size_t lanes) {
  constexpr size_t steps = 2000;
  const double us = best_us(10000, [&] {
    pool.run(pool.size() * 8, [&](size_t first, size_t last, size_t) {
      for (size_t i = first; i < last; ++i)
        lanes == 16 ? peak_16(steps) : lanes == 8 ? peak_8(steps) : peak_4(steps);
    });
  });
  return static_cast<double>(pool.size() * 8 * steps * 12 * lanes) / us;
}

/// Bytes in a microsecond when a buffer of `count` floats is read again and again.
inline double read_rate(thread_pool& pool, const float* from, size_t count) {
  constexpr size_t block = 4096;
  const double us = best_us(300, [&] {
    pool.run((count + block - 1) / block, [&](size_t first, size_t last, size_t) {
      typedef float vector __attribute__((vector_size(16)));
      vector a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}; // an array of sums would live in memory
      const auto* at = reinterpret_cast<const vector*>(from + first * block);
      const auto* end = at + (std::min(last * block, count) - first * block) / 32 * 8;
      for (; at != end; at += 8)
        a += at[0], b += at[1], c += at[2], d += at[3], e += at[4], f += at[5], g += at[6], h += at[7];
      asm volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h));
    });
  });
  return static_cast<double>(count * sizeof(float)) / us;
}

} // namespace fovea::bench
