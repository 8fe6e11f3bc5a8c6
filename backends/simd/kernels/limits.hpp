#pragma once

// What a processor can do at best with the vectors of a set, for others to be held against.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

#include <cstddef>

namespace fovea::core::simd {

/// Chains that do not wait for each other: more than any machine needs to hide the latency of a multiply-add.
inline constexpr size_t limit_chains = 12;

/// `steps` times 1 * 1 in each lane of each chain; their sum, for nothing to be left out.
template <class Arch>
float limit_multiply_adds(size_t steps) {
  using v = vec<Arch>;
  v x = v(1.0f), y = v(1.0f), sum[limit_chains];
  detail::for_constants<limit_chains>([&](auto i) { sum[i] = v(0.0f); });
  for (size_t step = 0; step < steps; ++step) {
    x = Arch::in_register(x), y = Arch::in_register(y);
    detail::for_constants<limit_chains>([&](auto i) __attribute__((always_inline)) {
      sum[i] = Arch::in_register(Arch::fma(x, y, sum[i]));
    });
  }
  v all = sum[0];
  detail::for_constants<limit_chains - 1>([&](auto i) { all = all + sum[i + 1]; });
  return reduce_add<Arch>(all);
}

/// The sum of `count` floats, or of a few less: eight vectors at a time.
template <class Arch>
float limit_reads(const float* from, size_t count) {
  constexpr size_t loads = 8;
  vec<Arch> sum[loads];
  detail::for_constants<loads>([&](auto i) { sum[i] = vec<Arch>(0.0f); });
  const float* const end = from + count / (loads * width<Arch>)*(loads * width<Arch>);
  for (; from != end; from += loads * width<Arch>)
    detail::for_constants<loads>([&](auto i) __attribute__((always_inline)) {
      sum[i] = Arch::in_register(sum[i] + Arch::load(from + i * width<Arch>));
    });
  vec<Arch> all = sum[0];
  detail::for_constants<loads - 1>([&](auto i) { all = all + sum[i + 1]; });
  return reduce_add<Arch>(all);
}

} // namespace fovea::core::simd
