#pragma once

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/turn.hpp>

namespace fovea::core::simd {

namespace detail {

/// One panel from weights whose depth is contiguous ([out, in], as PyTorch stores them): by squares of whole
/// vectors, the rest by squares of 4.
template <class Arch>
inline void pack_rows(const float* b, size_t columns, size_t depth, size_t stride, float* to) {
  constexpr size_t lanes = width<Arch>;
  const size_t whole_columns = columns / lanes * lanes, whole_depth = depth / lanes * lanes;
  for (size_t j = 0; j < whole_columns; j += lanes)
    for (size_t k = 0; k < whole_depth; k += lanes) {
      // The rows behind, of the next panel too: such strides are fetched by no one else.
      for (size_t i = 0; i < lanes; ++i) __builtin_prefetch(b + (j + lanes + i) * stride + k);
      turn_square<Arch>(b + j * stride + k, stride, to + k * panel<Arch> + j, panel<Arch>);
    }
  const size_t even_columns = columns / 4 * 4, even_depth = depth / 4 * 4;
  for (size_t k = 0; k < even_depth; k += 4)
    for (size_t j = k < whole_depth ? whole_columns : 0; j < even_columns; j += 4)
      turn_square<portable>(b + j * stride + k, stride, to + k * panel<Arch> + j, panel<Arch>);
  for (size_t j = even_columns; j < columns; ++j)
    for (size_t k = 0; k < even_depth; ++k) to[k * panel<Arch> + j] = b[j * stride + k];
  for (size_t k = even_depth; k < depth; ++k)
    for (size_t j = 0; j < columns; ++j) to[k * panel<Arch> + j] = b[j * stride + k];
}

} // namespace detail

template <class Arch>
size_t pack_tasks(const pack_args& args) {
  return (args.columns + panel<Arch> - 1) / panel<Arch>;
}

namespace detail {

/// Panels of weights whose columns are contiguous: a few rows at a time for all panels, so that memory is
/// read along its rows.
template <size_t panel>
inline void pack_columns(const pack_args& args, size_t first, size_t last) {
  constexpr size_t rows_at_once = 8;
  for (size_t k = 0; k < args.depth; k += rows_at_once) {
    const size_t end = k + rows_at_once < args.depth ? k + rows_at_once : args.depth;
    for (size_t task = first; task < last; ++task) {
      const size_t column = task * panel,
                   columns = args.columns - column < panel ? args.columns - column : panel;
      for (size_t row = k; row < end; ++row) {
        float* to = args.panels + column * args.depth + row * panel;
        std::memcpy(to, args.b + column + row * args.depth_stride, columns * sizeof(float));
        if (columns < panel) std::memset(to + columns, 0, (panel - columns) * sizeof(float));
      }
    }
  }
}

} // namespace detail

template <class Arch>
void pack(const pack_args& args, size_t first, size_t last) {
  if (args.column_stride == 1 && args.depth_stride != 1)
    return detail::pack_columns<panel<Arch>>(args, first, last);
  for (size_t task = first; task < last; ++task) {
    const size_t column = task * panel<Arch>;
    const size_t columns = args.columns - column < panel<Arch> ? args.columns - column : panel<Arch>;
    const float* b = args.b + column * args.column_stride;
    float* to = args.panels + column * args.depth;
    if (columns < panel<Arch>) std::memset(to, 0, panel<Arch> * args.depth * sizeof(float));
    if (args.depth_stride == 1)
      detail::pack_rows<Arch>(b, columns, args.depth, args.column_stride, to);
    else
      for (size_t k = 0; k < args.depth; ++k)
        for (size_t j = 0; j < columns; ++j)
          to[k * panel<Arch> + j] = b[j * args.column_stride + k * args.depth_stride];
  }
}

} // namespace fovea::core::simd
