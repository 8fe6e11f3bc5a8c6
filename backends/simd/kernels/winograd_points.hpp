#pragma once

// The polynomial behind Winograd's convolution: its value at six points says the products of three taps and
// four outputs. The points are 0, infinity, and two reciprocals of either sign. They keep the error within three
// times that of the plain sum (docs/words/conv2d.md); by 1 and 2, the usual ones, it is twice as large.

#include <cstddef>

namespace fovea::core::simd::winograd {

inline constexpr std::size_t outputs = 4, taps = 3, seen = outputs + taps - 1, products = seen * seen;

/// The points: 0, near, -near, far, -far, infinity; near * far is 1.
inline constexpr float near = 0.70710678f, near_square = 0.5f, far = 1.41421356f, far_square = 2;

} // namespace fovea::core::simd::winograd
