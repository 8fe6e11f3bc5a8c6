#pragma once

// What follows the sums of a matrix product while they are in the first-level cache: the activation and the
// join with another operand.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::simd::detail {

/// `count` is a multiple of the vector's width; `x` is aligned.
template <class Arch, class Function>
inline void in_place(float* x, size_t count, Function function) {
  for (size_t i = 0; i < count; i += width<Arch>)
    function(vec<Arch>::load_aligned(x + i)).store_aligned(x + i);
}

template <class Arch>
void activate(activation act, float* x, size_t count) {
  using v = vec<Arch>;
  switch (act) {
    case activation::none:
      return;
    case activation::relu:
      return in_place<Arch>(x, count, [](const v& y) { return xsimd::max(y, v(0.f)); });
    case activation::gelu:
      return in_place<Arch>(x, count, [](const v& y) { return math::gelu<Arch>(y); });
    case activation::gelu_tanh:
      return in_place<Arch>(x, count, [](const v& y) { return math::gelu_tanh<Arch>(y); });
    case activation::silu:
      return in_place<Arch>(x, count, [](const v& y) { return math::silu<Arch>(y); });
    case activation::sigmoid:
      return in_place<Arch>(x, count, [](const v& y) { return math::sigmoid<Arch>(y); });
    case activation::tanh:
      return in_place<Arch>(x, count, [](const v& y) { return math::tanh<Arch>(y); });
  }
}

template <class Arch>
inline vec<Arch> joined(combine join, const vec<Arch>& x, const vec<Arch>& other) {
  return join == combine::add ? x + other : x * other;
}

/// out[count] = join(x, other); x has room for a last whole vector, other and out are touched only in [0,
/// count).
template <class Arch>
inline void join_row(combine join, const float* x, const float* other, float* out, size_t count) {
  if (!other) join = combine::none;
  size_t j = 0;
  for (; j + width<Arch> <= count; j += width<Arch>) {
    const vec<Arch> y = load<Arch>(x + j);
    store<Arch>(out + j, join == combine::none ? y : joined<Arch>(join, y, load<Arch>(other + j)));
  }
  if (j == count) return;
  const vec<Arch> y = load<Arch>(x + j);
  store_first<Arch>(out + j,
                    join == combine::none ? y : joined<Arch>(join, y, load_first<Arch>(other + j, count - j)),
                    count - j);
}

} // namespace fovea::simd::detail
