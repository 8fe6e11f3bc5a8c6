#pragma once

// Dot products of two bfloat16 in each 32-bit lane, as byte_dot.hpp has them of four bytes. Where no instruction takes
// two, they are float32's, and rows wait as float32 for them: `add` takes a pointer to two numbers of a row.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/weights/weight_format.hpp>

namespace fovea::core::simd::detail {

template <class Arch>
struct bfloat_dots {
  static constexpr bool in_float32 = requires { requires Arch::bfloat_dot::in_float32; };
  static constexpr bool takes(weight_format format) { return rounds_rows(format) && !sums_integers(format); }
  template <class>
  using of = typename Arch::bfloat_dot;
};

} // namespace fovea::core::simd::detail
