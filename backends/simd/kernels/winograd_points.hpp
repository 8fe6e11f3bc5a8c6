#pragma once

// The polynomials behind Winograd's convolution: their values at six points tell four outputs of three taps.
// The points are 0, infinity, and two reciprocals of either sign. They keep the error within three
// times that of the plain sum (docs/words/conv2d.md); by 1 and 2, the usual ones, it is twice as large.

#include <cstddef>

namespace fovea::core::simd::winograd {

inline constexpr std::size_t outputs = 4, taps = 3, seen = outputs + taps - 1, products = seen * seen;

/// The points: 0, inner, -inner, outer, -outer, infinity; inner * outer is 1.
inline constexpr float inner = 0.70710678f, inner_square = 0.5f, outer = 1.41421356f, outer_square = 2;

} // namespace fovea::core::simd::winograd
