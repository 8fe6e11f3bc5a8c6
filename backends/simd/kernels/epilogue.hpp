#pragma once

// What follows the sums of a matrix product while they are in the first-level cache: the activation and the
// join with another operand.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/math.hpp>

#include <iterator>
#include <utility>

namespace fovea::core::simd::detail {

template <class Arch, op act>
[[gnu::always_inline]] inline vec<Arch> activated(const vec<Arch>& x) {
  if constexpr (act == op::none)
    return x;
  else
    return function<act, Arch>(x);
}

/// `count` is a multiple of the vector's width; `x` is aligned.
template <class Arch, op act>
inline void activate_all(float* x, size_t count) {
  for (size_t i = 0; i < count; i += width<Arch>)
    function<act, Arch>(vec<Arch>::load_aligned(x + i)).store_aligned(x + i);
}
template <class Arch>
void activate(op act, float* x, size_t count) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(
        ((act == activations[i] && (activate_all<Arch, activations[i]>(x, count), true)) || ...));
  }
  (std::make_index_sequence<std::size(activations)>{});
}

template <class Arch>
inline vec<Arch> joined(op join, const vec<Arch>& x, const vec<Arch>& other) {
  return join == op::add ? x + other : x * other;
}

/// out[count] = join(x, other); x has room for a last whole vector, other and out are touched only in [0,
/// count).
template <class Arch>
inline void join_row(op join, const float* x, const float* other, float* out, size_t count) {
  if (!other) join = op::none;
  size_t j = 0;
  for (; j + width<Arch> <= count; j += width<Arch>) {
    const vec<Arch> y = Arch::load(x + j);
    Arch::store(out + j, join == op::none ? y : joined<Arch>(join, y, Arch::load(other + j)));
  }
  if (j == count) return;
  const vec<Arch> y = Arch::load(x + j);
  Arch::store_first(out + j,
                    join == op::none ? y : joined<Arch>(join, y, Arch::load_first(other + j, count - j)),
                    count - j);
}

/// From sums to the output, from (row, column) on: tile[rows, stride] is activated, joined and written,
/// `columns` of it. A function of its own, since the products by all formats share it.
template <class Arch>
[[gnu::noinline]] void finish_block(const product_part& part, size_t rows, size_t row, size_t column,
                                    size_t columns, float* tile, size_t stride) {
  activate<Arch>(part.act, tile, rows * stride);
  const float* other = part.other ? part.other + row * part.other_stride + column : nullptr;
  float* out = part.out + row * part.out_stride + column;
  for (size_t r = 0; r < rows; ++r)
    join_row<Arch>(part.join, tile + r * stride, other ? other + r * part.other_stride : nullptr,
                   out + r * part.out_stride, columns);
}

} // namespace fovea::core::simd::detail
