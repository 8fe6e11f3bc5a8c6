#pragma once

// The polynomials behind Winograd's convolution: their values at six points tell `outputs` sums of `taps` terms,
// whose numbers add up to seven. The points are 0, infinity, and two reciprocals of either sign. They keep the
// error within three times that of the plain sum (docs/words/conv2d.md); by 1 and 2, the usual ones, it is twice
// as large.

#include <cstddef>

namespace fovea::core::simd::winograd {

/// Points, as many as the positions that a tile sees of an axis.
inline constexpr std::size_t seen = 6, products = seen * seen;

/// Of fewer taps the outputs, of more the products are too inexact or too many.
inline constexpr std::size_t least_taps = 3, most_taps = 5, most_outputs = seen + 1 - least_taps;

/// A tile of windows of `size` places that are `stride` apart, on both axes. It takes squares of stride x stride
/// places as positions, with all of their features, so that its windows are one position apart.
struct tile_shape {
  std::size_t stride, taps, outputs; // on an axis: places of a position, positions of a window, and windows

  constexpr tile_shape(std::size_t size, std::size_t apart)
      : stride(apart), taps((size + apart - 1) / apart), outputs(seen + 1 - taps) {}
  constexpr std::size_t features(std::size_t of_place) const { return stride * stride * of_place; }
};

/// Two points, of either sign.
struct point {
  float value, square;
  constexpr float power(std::size_t n) const {
    float all = n % 2 == 0 ? 1 : value;
    for (; n > 1; n -= 2) all *= square;
    return all;
  }
};

/// The points: 0, inner, -inner, outer, -outer, infinity. The product of inner and outer is 1.
inline constexpr point inner{0.70710678f, 0.5f}, outer{1.41421356f, 2};

} // namespace fovea::core::simd::winograd
