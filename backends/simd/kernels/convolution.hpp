#pragma once

// Convolution as an implicit matrix product (Chellapilla et al. 2006, without the matrix in memory): groups
// of output places are rows of the left operand, found or gathered in the second-level cache and multiplied
// with packed filters by the register blocks of product.hpp.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/reduce.hpp>
#include <fovea/backends/simd/kernels/window.hpp>
#include <limits>

namespace fovea::core::simd {

namespace detail {

/// Tasks are (chunk of rows, group, panel), the panel fastest. With `largest` a chunk is a whole plane.
struct convolution_grid {
  size_t rows, panels, chunk; // rows: of all planes, or with `largest` of one
  size_t chunks;
};

/// The most rows that are gathered at a time.
template <class Arch>
inline size_t gathered_rows(size_t depth) {
  constexpr size_t cached = 48 * 1024; // floats
  return larger(cached / larger(depth, 1) / block_rows<Arch> * block_rows<Arch>, 2 * block_rows<Arch>);
}

template <class Arch>
inline convolution_grid grid_of(const convolution_args& a) {
  constexpr size_t enough_tasks = 64, block = block_rows<Arch>;
  const size_t places = a.axis[0].places * a.axis[1].places, panels = ceil_div(a.columns, panel<Arch>);
  if (a.largest) return {places, panels, places, a.planes};
  const size_t rows = a.planes * places;
  const size_t shared = ceil_div(rows, ceil_div(enough_tasks, larger(panels * a.groups, 1)));
  const size_t chunk =
      smaller(gathered_rows<Arch>(taps_of(a) * a.depth), larger(ceil_div(shared, block) * block, 2 * block));
  return {rows, panels, chunk, ceil_div(rows, chunk)};
}

/// The scratch of one thread: where rows begin, what was gathered, and with `largest` the sums of rows in one
/// panel, which stay in the first-level cache; before them is room for columns of the panels before.
template <class Arch>
struct convolution_scratch_of {
  window_list list;
  float *copies, *sums;

  static size_t rows(const convolution_args& a) {
    return smaller(gathered_rows<Arch>(taps_of(a) * a.depth), grid_of<Arch>(a).rows);
  }
  static size_t list_floats(const convolution_args& a) {
    static_assert(sizeof(const float*) == sizeof(std::ptrdiff_t));
    return ceil_div(rows(a) * sizeof(const float*) / sizeof(float), 16) * 16;
  }
  static size_t copied_floats(const convolution_args& a) {
    return ceil_div(rows(a) * taps_of(a) * a.depth, 16) * 16;
  }
  static size_t floats(const convolution_args& a) {
    const size_t panels = ceil_div(a.columns, panel<Arch>);
    return 2 * list_floats(a) + copied_floats(a) + (a.largest ? (panels + rows(a)) * panel<Arch> : 0);
  }
  convolution_scratch_of(const convolution_args& a, float* scratch)
      : list{reinterpret_cast<const float**>(scratch),
             reinterpret_cast<std::ptrdiff_t*>(scratch + list_floats(a))},
        copies(scratch + 2 * list_floats(a)), sums(copies + copied_floats(a)) {}
};

/// Panels [first, last) of one group for rows of the list.
template <class Arch>
inline void multiply_windows(const convolution_args& a, window_list list, size_t rows, size_t group,
                             size_t first, size_t last, float* out, size_t out_stride, const float* other) {
  const size_t depth = taps_of(a) * a.depth;
  const product_part part{.panels = a.weights + group * panel_floats(panel<Arch>, a.columns, depth),
                          .columns = a.columns,
                          .bias = a.bias + group * a.columns,
                          .out = out,
                          .out_stride = out_stride,
                          .other = other,
                          .other_stride = out_stride,
                          .act = a.act,
                          .join = a.join};
  const product_args args{.rows = rows,
                          .depth = depth,
                          .parts = &part,
                          .part_count = 1,
                          .row_starts = list.starts,
                          .row_shifts = in_place(a) && piece_of(a) < depth ? list.shifts : nullptr,
                          .piece = piece_of(a)};
  multiply_group<Arch, product_of::windows>(args, part, 0, rows, first, last);
}

/// Rows [row, row + rows) of the output, a piece at a time in which places are evenly apart.
template <class Arch>
inline void convolve_rows(const convolution_args& a, convolution_scratch_of<Arch> scratch, size_t row,
                          size_t rows, size_t group, size_t first, size_t last) {
  const size_t line = a.axis[1].places, plane = line * a.axis[0].places;
  const bool even = a.out_line == line * a.out_place && a.out_plane == a.axis[0].places * a.out_line;
  const size_t piece = even ? a.planes * plane : line;
  window_rows<Arch>(a, row, rows, group, scratch.list, scratch.copies);
  for (size_t done = 0; done < rows;) {
    const window_place at(a.axis, row + done);
    const size_t here = smaller(rows - done, piece - (row + done) % piece);
    const size_t to =
        at.plane * a.out_plane + at.line * a.out_line + at.place * a.out_place + group * a.columns;
    multiply_windows<Arch>(a, {scratch.list.starts + done, scratch.list.shifts + done}, here, group, first,
                           last, a.out + to, a.out_place, a.other ? a.other + to : nullptr);
    done += here;
  }
}

/// The largest of `rows` vectors that are `stride` floats apart, and of another.
template <class Arch>
inline vec<Arch> largest_of(const float* x, size_t rows, size_t stride, const vec<Arch>& other) {
  constexpr size_t turns = 4; // for each awaits the one before
  const extreme<Arch, true> larger_one;
  vec<Arch> most[turns] = {other, other, other, other};
  size_t r = 0;
  for (; r + turns <= rows; r += turns)
    for_constants<turns>([&](auto i) { most[i] = larger_one(most[i], Arch::load(x + (r + i) * stride)); });
  for (; r < rows; ++r) most[0] = larger_one(most[0], Arch::load(x + r * stride));
  return larger_one(larger_one(most[0], most[1]), larger_one(most[2], most[3]));
}

/// The largest of each column over all rows of a plane.
template <class Arch>
inline void convolve_largest(const convolution_args& a, convolution_scratch_of<Arch> scratch, size_t plane,
                             size_t rows, size_t group, size_t first, size_t last) {
  constexpr size_t packed = panel<Arch>;
  const size_t most = convolution_scratch_of<Arch>::rows(a), panels = ceil_div(a.columns, packed);
  for (size_t done = 0; done < rows; done += most) {
    const size_t here = smaller(most, rows - done);
    window_rows<Arch>(a, plane * rows + done, here, group, scratch.list, scratch.copies);
    for (size_t p = first; p < last; ++p) {
      float* const sums = scratch.sums + (panels - p) * packed; // column j of the panel is its p * packed + j
      multiply_windows<Arch>(a, scratch.list, here, group, p, p + 1, sums, packed, nullptr);
      float* const out = a.out + plane * a.out_plane + group * a.columns + p * packed;
      for_vectors<Arch>(smaller(a.columns - p * packed, packed), [&](size_t j, auto lanes) {
        const vec<Arch> before =
            done == 0 ? vec<Arch>(-std::numeric_limits<float>::infinity()) : lanes.load(out + j);
        lanes.store(out + j, largest_of<Arch>(sums + p * packed + j, here, packed, before));
      });
    }
  }
}

} // namespace detail

template <class Arch>
size_t convolution_tasks(const convolution_args& a) {
  const auto grid = detail::grid_of<Arch>(a);
  return grid.rows == 0 ? 0 : grid.chunks * a.groups * grid.panels;
}

template <class Arch>
size_t convolution_scratch(const convolution_args& a) {
  return detail::convolution_scratch_of<Arch>::floats(a);
}

template <class Arch>
void convolution(const convolution_args& a, size_t first, size_t last, float* scratch) {
  const auto grid = detail::grid_of<Arch>(a);
  const detail::convolution_scratch_of<Arch> own(a, scratch);
  while (first < last) {
    const size_t at = first % grid.panels, group = first / grid.panels % a.groups,
                 chunk = first / grid.panels / a.groups;
    const size_t count = detail::smaller(grid.panels - at, last - first);
    if (a.largest)
      detail::convolve_largest<Arch>(a, own, chunk, grid.rows, group, at, at + count);
    else
      detail::convolve_rows<Arch>(a, own, chunk * grid.chunk,
                                  detail::smaller(grid.chunk, grid.rows - chunk * grid.chunk), group, at,
                                  at + count);
    first += count;
  }
}

} // namespace fovea::core::simd
