#pragma once

// The product by weights that the first-level cache holds, float32 all: by a few of the blocks of product.hpp,
// with their bits, and nothing of what large weights ask for.

#include <fovea/backends/simd/kernels/product.hpp>

namespace fovea::core::simd {

namespace detail {

/// Rows that are finished together.
inline constexpr size_t small_tile_rows = 16;

/// The blocks: of one to four rows, and those that keep the processor busy where a vector is all.
template <class Arch, class A>
struct small_blocks {
  template <size_t rows, size_t vectors>
  static constexpr multiply_function function =
      multiply<A, rows, vectors, panel<Arch>, false, weight_format::f32>;
  static constexpr multiply_function vector[] = {function<1, 1>, function<2, 1>, function<3, 1>,
                                                 function<4, 1>};
  static constexpr multiply_function whole[] = {function<1, 2>, function<2, 2>, function<3, 2>,
                                                function<4, 2>};
  static constexpr multiply_function several[] = {function<1, 2 * block_panels<A>(1)>,
                                                  function<2, 2 * block_panels<A>(2)>,
                                                  function<3, 2 * block_panels<A>(3)>};
};

/// The sums of `rows` rows from `row` on in so many vectors of A, to sums.to.
template <class Arch, class A>
void multiply_small(const product_args& args, size_t row, size_t rows, size_t vectors, block_sums& sums) {
  using blocks = small_blocks<Arch, A>;
  const float* list[most_rows];
  for (size_t block; rows > 0; rows -= block, row += block, sums.to += block * sums.to_stride) {
    const bool eight = vectors == 1 && rows >= 8;
    block = eight ? 8 : rows > 4 && rows < 8 ? ceil_div(rows, 2) : smaller(rows, 4); // never one row of many
    sums.a = left_rows(args, row, block, 0, list);
    if constexpr (width<A> == width<Arch>)
      if (vectors > 1) {
        (vectors == 2 ? blocks::whole : blocks::several)[block - 1](sums);
        continue;
      }
    (eight ? blocks::template function<8, 1> : blocks::vector[block - 1])(sums);
  }
}

} // namespace detail

/// Tasks are groups of rows.
template <class Arch>
size_t small_product_tasks(const product_args& args) {
  return detail::ceil_div(args.rows, detail::small_tile_rows);
}

template <class Arch>
void small_product(const product_args& args, size_t first, size_t last) {
  using namespace detail;
  using narrow = narrower<Arch>;
  alignas(64) float tile[small_tile_rows * panel<Arch>], padded_bias[most_columns];
  for (size_t row = first * small_tile_rows; first < last; ++first, row += small_tile_rows) {
    const size_t rows = smaller(small_tile_rows, args.rows - row),
                 together = rows < 4 ? block_panels<Arch>(rows) : 1;
    for (const product_part* part = args.parts; part < args.parts + args.part_count; ++part)
      for (size_t column = 0, block; column < part->columns; column += block) {
        const size_t left = part->columns - column;
        const bool is_narrow = left <= width<narrow> && width<narrow> < width<Arch>;
        const size_t vectors = left <= width<Arch>                   ? 1
                               : left > (together - 1) * panel<Arch> ? 2 * together
                                                                     : 2;
        block = is_narrow ? width<narrow> : vectors * width<Arch>;
        const size_t columns = smaller(left, block);
        const bool relu = part->act == op::relu;
        const bool in_place = columns == block && (part->act == op::none || relu) && part->join == op::none;
        float* const to = in_place ? part->out + row * part->out_stride + column : tile;
        block_sums sums;
        sums.depth = args.depth, sums.panel_bytes = args.depth * panel<Arch> * sizeof(float);
        sums.weights = static_cast<const unsigned char*>(part->panels) + column * args.depth * sizeof(float);
        sums.next = {sums.weights, 0};
        sums.bias = bias_of<Arch>(*part, column, columns, block, padded_bias);
        sums.to = to, sums.to_stride = in_place ? part->out_stride : block;
        (is_narrow ? multiply_small<Arch, narrow> : multiply_small<Arch, Arch>)(args, row, rows, vectors,
                                                                                sums);
        if (!in_place)
          (is_narrow ? finish_block<narrow> : finish_block<Arch>)(*part, rows, row, column, columns, tile,
                                                                  block);
        else if (relu)
          relu_rows<Arch>(to, part->out_stride, rows, block);
      }
  }
}

} // namespace fovea::core::simd
