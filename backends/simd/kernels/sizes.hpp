#pragma once

// What kernels reckon their blocks by. The standard library is not for units of one instruction set
// (isa/README.md).

#include <cstddef>

namespace fovea::core::simd::detail {

using std::size_t;

inline constexpr size_t ceil_div(size_t a, size_t b) { return (a + b - 1) / b; }
inline constexpr size_t larger(size_t a, size_t b) { return a < b ? b : a; }
inline constexpr size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/// Rows of the next block where so many are left: at most `most`, and never one alone behind others.
inline constexpr size_t next_block(size_t left, size_t most) {
  return left == most + 1 ? ceil_div(left, 2) : smaller(left, most);
}

} // namespace fovea::core::simd::detail
