#pragma once

// Turning a matrix: rows become columns (see turn_args in arguments.hpp), by squares of whole vectors.

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/transpose.hpp>

namespace fovea::core::simd {

namespace detail {

/// Columns of x in a task: they become rows that lie next to each other.
template <class Arch>
inline constexpr size_t turned_at_once = 2 * width<Arch>;

template <class Arch>
inline void turn_square(const float* x, size_t x_row, float* out, size_t out_row) {
  vec<Arch> rows[width<Arch>];
  for (size_t i = 0; i < width<Arch>; ++i) rows[i] = Arch::load(x + i * x_row);
  transpose<Arch>(rows);
  for (size_t i = 0; i < width<Arch>; ++i) Arch::store(out + i * out_row, rows[i]);
}

} // namespace detail

template <class Arch>
size_t turn_tasks(const turn_args& a) {
  return (a.columns + detail::turned_at_once<Arch> - 1) / detail::turned_at_once<Arch>;
}

template <class Arch>
void turn(const turn_args& a, size_t first, size_t last) {
  constexpr size_t lanes = width<Arch>;
  const size_t begin = first * detail::turned_at_once<Arch>, until = last * detail::turned_at_once<Arch>,
               end = until < a.columns ? until : a.columns;
  const size_t whole_rows = a.rows / lanes * lanes, whole_end = begin + (end - begin) / lanes * lanes;
  for (size_t i = 0; i < whole_rows; i += lanes)
    for (size_t j = begin; j < whole_end; j += lanes)
      detail::turn_square<Arch>(a.x + i * a.x_row + j, a.x_row, a.out + j * a.out_row + i, a.out_row);
  const auto rest = [&](size_t i, size_t j) { a.out[j * a.out_row + i] = a.x[i * a.x_row + j]; };
  for (size_t i = 0; i < whole_rows; ++i)
    for (size_t j = whole_end; j < end; ++j) rest(i, j);
  for (size_t i = whole_rows; i < a.rows; ++i)
    for (size_t j = begin; j < end; ++j) rest(i, j);
}

} // namespace fovea::core::simd
