#pragma once

// Sums of vectors that are multiplied by single numbers, of a set that multiplies by one lane of a vector: as many numbers
// as a vector has are loaded at once.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>

namespace fovea::core::simd {

/// A set that multiplies by one number of a vector, too: x y[lane] + z.
template <class Arch>
concept multiplies_by_lane = requires(vec<Arch> x) {
  Arch::template fma_lane<0>(x, x, x);
};

namespace detail {

/// sums[r][v] += x[r][lane] * y[v]
template <multiplies_by_lane Arch, size_t lane, size_t rows, size_t vectors>
[[gnu::always_inline]] inline void add_by_lane(const vec<Arch> (&x)[rows], const vec<Arch> (&y)[vectors],
                                               vec<Arch> (&sums)[rows][vectors]) {
  for_constants<rows * vectors>([&](auto i) {
    vec<Arch>& sum = sums[i / vectors][i % vectors];
    sum = Arch::template fma_lane<lane>(y[i % vectors], x[i / vectors], sum);
  });
}

/// sums[r][v] += x[r] * y[v]; of rows that do not fill a vector each number is loaded by itself.
template <multiplies_by_lane Arch, size_t rows, size_t vectors>
[[gnu::always_inline]] inline void add_by_lanes(const float* x, const vec<Arch> (&y)[vectors],
                                                vec<Arch> (&sums)[rows][vectors]) {
  constexpr size_t lanes = width<Arch>, whole = rows / lanes * lanes;
  for_constants<whole / lanes>([&](auto i) {
    const vec<Arch> several = Arch::load(x + i * lanes);
    for_constants<lanes * vectors>([&](auto j) {
      vec<Arch>& sum = sums[i * lanes + j / vectors][j % vectors];
      sum = Arch::template fma_lane<j / vectors>(y[j % vectors], several, sum);
    });
  });
  for_constants<rows - whole>([&](auto r) {
    const vec<Arch> one(x[whole + r]);
    for_constants<vectors>([&](auto v) { sums[whole + r][v] = Arch::fma(one, y[v], sums[whole + r][v]); });
  });
}

} // namespace detail
} // namespace fovea::core::simd
