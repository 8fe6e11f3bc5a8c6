#pragma once

// The matrix product a^T b of two values as they lie (see turned_product_args in arguments.hpp): what gradients
// of weights are. Both sides run down their rows, so packing is copying: a piece of the depth at a time,
// blocks of a's columns for the second-level cache and one panel of b's for the first.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/by_lane.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/reduce.hpp>

namespace fovea::core::simd {

namespace detail {

/// What one task computes: its rows times a piece of the depth stay in the second-level cache.
struct turned_grid {
  static constexpr size_t depth = 256, most_rows = 192, most_columns = 512;
  size_t rows, columns;

  /// Smaller for small products, for several threads to share one, and for many threads.
  explicit turned_grid(const turned_product_args& a) : rows(most_rows), columns(most_columns) {
    if (a.threads >= many_threads) {
      share(a);
      return;
    }
    rows = smaller(rows, a.rows), columns = smaller(columns, a.columns);
    constexpr size_t enough_tasks = 4;
    if (tasks(a) < enough_tasks && rows >= 96) rows = ceil_div(rows, 2);
    if (tasks(a) < enough_tasks && columns >= 256) columns = ceil_div(columns, 2);
    rows = ceil_div(rows, 16) * 16, columns = ceil_div(columns, 64) * 64;
  }
  size_t across(const turned_product_args& a) const { return ceil_div(a.columns, columns); }
  size_t tasks(const turned_product_args& a) const {
    return a.rows == 0 || a.columns == 0 ? 0 : ceil_div(a.rows, rows) * across(a);
  }

private:
  /// By when so many threads end: what a block packs costs as much as `packing` of its products.
  void share(const turned_product_args& a) {
    constexpr size_t packing = 6;
    turned_grid best = *this;
    size_t least = ~size_t{0};
    for (rows = most_rows; rows >= 16; rows = rows == 48 ? 32 : rows / 2)
      for (columns = most_columns; columns >= 64; columns /= 2) {
        const size_t ends = ceil_div(tasks(a), a.threads) * (rows * columns + packing * (rows + columns));
        if (ends < least) best = *this, least = ends;
      }
    *this = best;
  }
};

/// [depth, columns] of x, rows x_row apart, side by side, `block` columns wide; missing ones are zero.
template <size_t block>
inline void copy_columns(const float* x, size_t x_row, size_t depth, size_t columns, float* to) {
  if (columns == block) {
    for (size_t k = 0; k < depth; ++k) std::memcpy(to + k * block, x + k * x_row, block * sizeof(float));
    return;
  }
  for (size_t k = 0; k < depth; ++k) {
    std::memcpy(to + k * block, x + k * x_row, columns * sizeof(float));
    std::memset(to + k * block + columns, 0, (block - columns) * sizeof(float));
  }
}

/// Both sides of a block: [depth, block_rows] and [depth, panel] floats, rows a_row and b_row apart, and
/// where they are packed to, or null where they are already.
struct turned_sides {
  const float* a;
  size_t a_row;
  const float* b;
  size_t b_row;
  float *packed_a, *packed_b;
};

/// A block of sums over a piece of the depth, stored or, behind the first piece, added. Who reads a side
/// first packs it in passing.
template <class Arch, bool packs_a, bool packs_b>
inline void multiply_turned(const turned_sides& sides, size_t depth, bool add, float* out, size_t out_row,
                            size_t rows, size_t columns, ahead next) {
  constexpr size_t most = block_rows<Arch>, block = panel<Arch>;
  turned_sides from = sides;
  for (size_t r = 0; r < rows; ++r)
    for (size_t j = 0; j < columns; j += 16) __builtin_prefetch(out + r * out_row + j, 1);
  vec<Arch> sum[most][2];
  for_constants<2 * most>([&](auto i) { sum[i / 2][i % 2] = vec<Arch>(0.f); });
  for (size_t k = 0; k < depth; ++k, from.a += from.a_row, from.b += from.b_row, next.at += next.step) {
    __builtin_prefetch(next.at, 0, 2);
    const vec<Arch> left = Arch::in_register(Arch::load(from.b)),
                    right = Arch::in_register(Arch::load(from.b + width<Arch>));
    if constexpr (packs_a) std::memcpy(from.packed_a + k * most, from.a, most * sizeof(float));
    if constexpr (packs_b) {
      left.store_aligned(from.packed_b + k * block);
      right.store_aligned(from.packed_b + k * block + width<Arch>);
    }
    if constexpr (multiplies_by_lane<Arch>)
      add_by_lanes<Arch>(from.a, {left, right}, sum);
    else
      for_constants<most>([&](auto r) {
        const vec<Arch> x(from.a[r]);
        sum[r][0] = Arch::fma(x, left, sum[r][0]);
        sum[r][1] = Arch::fma(x, right, sum[r][1]);
      });
  }
  if (rows == most && columns == block) {
    for_constants<2 * most>([&](auto i) {
      float* to = out + i / 2 * out_row + i % 2 * width<Arch>;
      Arch::store(to, add ? Arch::load(to) + sum[i / 2][i % 2] : sum[i / 2][i % 2]);
    });
    return;
  }
  alignas(64) float tile[most * block];
  for_constants<2 * most>([&](auto i) { Arch::store(tile + i * width<Arch>, sum[i / 2][i % 2]); });
  for (size_t r = 0; r < rows; ++r)
    for (size_t j = 0; j < columns; ++j)
      out[r * out_row + j] = add ? out[r * out_row + j] + tile[r * block + j] : tile[r * block + j];
}

/// Adds up a's columns over a piece of the depth, or begins their sums.
template <class Arch>
inline void sum_turned_piece(const turned_product_args& a, size_t row, size_t rows, size_t first,
                             size_t depth) {
  float piece[turned_grid::most_rows];
  reduce_columns_of<Arch>(a.a + first * a.a_row + row, depth, a.a_row, rows, piece, 1.0f, added<Arch>{});
  for (size_t r = 0; r < rows; ++r) a.sums[row + r] = first == 0 ? piece[r] : a.sums[row + r] + piece[r];
}

/// One task's rows and columns over a piece of the depth; `left` and `right` are room for what is packed.
template <class Arch>
inline void multiply_turned_piece(const turned_product_args& a, size_t row, size_t rows, size_t column,
                                  size_t columns, size_t first, size_t depth, float* left, float* right) {
  constexpr size_t most = block_rows<Arch>, block = panel<Arch>, line = 16;
  const float *of_a = a.a + first * a.a_row + row, *of_b = a.b + first * a.b_row + column;
  for (size_t j = 0; j < columns; j += block) {
    const size_t wide = smaller(block, columns - j);
    if (wide < block) copy_columns<block>(of_b + j, a.b_row, depth, wide, right);
    for (size_t r = 0; r < rows; r += most) {
      const size_t high = smaller(most, rows - r);
      float* packed = left + r * depth;
      if (j == 0 && high < most) copy_columns<most>(of_a + r, a.a_row, depth, high, packed);
      const bool packs_a = j == 0 && high == most, packs_b = r == 0 && wide == block;
      const turned_sides from{packs_a ? of_a + r : packed,
                              packs_a ? a.a_row : most,
                              packs_b ? of_b + j : right,
                              packs_b ? a.b_row : block,
                              packed,
                              right};
      // Blocks of rows fetch the next panel, a line of each of its rows at a time; those of the last panel
      // what they will need of the next piece.
      ahead next{from.b, 0};
      if (j + 2 * block <= columns) {
        if (r != 0 && r / most <= block / line)
          next = {of_b + j + block + (r / most - 1) * line, a.b_row * sizeof(float)};
      } else if (first + 2 * depth <= a.depth) {
        next = {of_a + r + depth * a.a_row, a.a_row * sizeof(float)};
      }
      constexpr auto kernel = [](bool pack_a, bool pack_b) {
        return pack_a   ? pack_b ? multiply_turned<Arch, true, true> : multiply_turned<Arch, true, false>
                 : pack_b ? multiply_turned<Arch, false, true>
                        : multiply_turned<Arch, false, false>;
      };
      kernel(packs_a, packs_b)(from, depth, a.add || first > 0, a.out + (row + r) * a.out_row + column + j,
                               a.out_row, high, wide, next);
    }
  }
}

} // namespace detail

template <class Arch>
size_t turned_product_tasks(const turned_product_args& a) {
  return detail::turned_grid(a).tasks(a);
}

/// Floats that a thread needs: a's block by a piece of the depth, and b's panel.
template <class Arch>
size_t turned_product_scratch(const turned_product_args&) {
  constexpr size_t most = detail::block_rows<Arch>;
  return ((detail::turned_grid::most_rows + most) + panel<Arch>)*detail::turned_grid::depth;
}

template <class Arch>
void turned_product(const turned_product_args& a, size_t first, size_t last, float* scratch) {
  using namespace detail;
  const turned_grid grid(a);
  float *left = scratch + panel<Arch> * turned_grid::depth, *right = scratch;
  for (size_t task = first; task < last; ++task) {
    const size_t row = task / grid.across(a) * grid.rows, column = task % grid.across(a) * grid.columns;
    const size_t rows = smaller(grid.rows, a.rows - row), columns = smaller(grid.columns, a.columns - column);
    const bool sums = a.sums != nullptr && column == 0;
    if (a.depth == 0 && sums) std::memset(a.sums + row, 0, rows * sizeof(float));
    if (a.depth == 0 && !a.add)
      for (size_t r = 0; r < rows; ++r)
        std::memset(a.out + (row + r) * a.out_row + column, 0, columns * sizeof(float));
    for (size_t k = 0; k < a.depth; k += turned_grid::depth) {
      const size_t depth = smaller(turned_grid::depth, a.depth - k);
      if (sums) sum_turned_piece<Arch>(a, row, rows, k, depth);
      multiply_turned_piece<Arch>(a, row, rows, column, columns, k, depth, left, right);
    }
  }
}

} // namespace fovea::core::simd
