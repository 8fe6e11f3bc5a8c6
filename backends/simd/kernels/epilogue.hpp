#pragma once

// What follows the sums of a matrix product while they are in the first-level cache: the activation and the
// join with another operand.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/math.hpp>
#include <fovea/backends/simd/kernels/table.hpp>

namespace fovea::core::simd::detail {

template <class Arch, activation act>
[[gnu::always_inline]] inline vec<Arch> activated(const vec<Arch>& x) {
  if constexpr (act == activation::relu)
    return math::relu<Arch>(x);
  else if constexpr (act == activation::gelu)
    return math::gelu<Arch>(x);
  else if constexpr (act == activation::gelu_tanh)
    return math::gelu_tanh<Arch>(x);
  else if constexpr (act == activation::silu)
    return math::silu<Arch>(x);
  else if constexpr (act == activation::sigmoid)
    return math::sigmoid<Arch>(x);
  else if constexpr (act == activation::tanh)
    return math::tanh<Arch>(x);
  else
    return x;
}

/// `count` is a multiple of the vector's width; `x` is aligned.
template <class Arch, activation act>
inline void activate_all(float* x, size_t count) {
  for (size_t i = 0; i < count; i += width<Arch>)
    activated<Arch, act>(vec<Arch>::load_aligned(x + i)).store_aligned(x + i);
}

template <class Arch>
void activate(activation act, float* x, size_t count) {
  switch (act) {
    case activation::none:
      return;
    case activation::relu:
      return activate_all<Arch, activation::relu>(x, count);
    case activation::gelu:
      return activate_all<Arch, activation::gelu>(x, count);
    case activation::gelu_tanh:
      return activate_all<Arch, activation::gelu_tanh>(x, count);
    case activation::silu:
      return activate_all<Arch, activation::silu>(x, count);
    case activation::sigmoid:
      return activate_all<Arch, activation::sigmoid>(x, count);
    case activation::tanh:
      return activate_all<Arch, activation::tanh>(x, count);
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

/// From sums to the output, from (row, column) on: tile[rows, stride] is activated, joined and written,
/// `columns` of it. A function of its own, since the products by all formats share it.
template <class Arch, size_t rows, size_t stride>
[[gnu::noinline]] void finish_block(const product_part& part, size_t row, size_t column, size_t columns,
                                    float* tile) {
  activate<Arch>(part.act, tile, rows * stride);
  const float* other = part.other ? part.other + row * part.other_stride + column : nullptr;
  float* out = part.out + row * part.out_stride + column;
  for (size_t r = 0; r < rows; ++r)
    join_row<Arch>(part.join, tile + r * stride, other ? other + r * part.other_stride : nullptr,
                   out + r * part.out_stride, columns);
}

} // namespace fovea::core::simd::detail
