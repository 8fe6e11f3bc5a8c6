#pragma once

// The last few columns of a product, where a panel is nearly empty: a vector holds four columns at several
// depths, for else all of its lanes but these would be idle.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

namespace fovea::core::simd::detail {

/// The most columns that are few.
inline constexpr size_t few_columns = 4;

/// sums[r] += (row a[r] of depths [first, last)) * four columns in a panel of `packed`: lane i * 4 + j has
/// column j at each depth that leaves i when divided by the vector's width / 4 (those left over go to the
/// first four).
template <class Arch, size_t rows, size_t packed>
[[gnu::always_inline]] inline void add_few(const float* const (&a)[rows], size_t first, size_t last,
                                           const float* weights, vec<Arch> (&sums)[rows]) {
  constexpr size_t depths = width<Arch> / few_columns;
  size_t k = first;
  for (; k + depths <= last; k += depths) {
    const vec<Arch> weight = Arch::in_register(Arch::load_fours(weights + k * packed, packed));
    for_constants<rows>(
        [&](auto r) { sums[r] = Arch::fma(Arch::load_four_times(a[r] + k), weight, sums[r]); });
  }
  for (; k < last; ++k) {
    const vec<Arch> weight = Arch::load_first(weights + k * packed, few_columns);
    for_constants<rows>([&](auto r) {
      const float x[few_columns] = {a[r][k], a[r][k], a[r][k], a[r][k]};
      sums[r] = Arch::fma(Arch::load_first(x, few_columns), weight, sums[r]);
    });
  }
}

/// In each lane the sum of those that are a multiple of four lanes away.
template <class Arch, size_t half = width<Arch> / 2>
inline vec<Arch> sum_of_fours(const vec<Arch>& x) {
  if constexpr (half < few_columns)
    return x;
  else
    return sum_of_fours<Arch, half / 2>(x + lanes_away<Arch, half>(x));
}

} // namespace fovea::core::simd::detail
