#pragma once

// What kernels reckon their blocks by. The standard library is not for units of one instruction set
// (isa/README.md).

#include <cstddef>

namespace fovea::core::simd::detail {

using std::size_t;

inline constexpr size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }
inline constexpr size_t larger(size_t a, size_t b) { return a < b ? b : a; }
inline constexpr size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

} // namespace fovea::core::simd::detail
