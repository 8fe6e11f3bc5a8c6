#pragma once

// Blocks of rows by weights that the first-level cache holds: nothing of what large weights ask for, and what
// follows the sums is done while they are in registers.

#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/product.hpp>

namespace fovea::core::simd::detail {

/// out = join(act(a * weights^T + bias), other) for the rows of a block; act is none or relu.
///   a        rows of `pieces` times `depth` floats, piece_step from one piece to the next; row r begins at
///            a + offsets[r]
///   weights  [pieces * depth] steps of a packed panel; panels panel_floats apart
///   bias     as many floats as the block's vectors have, or null
///   other    rows other_stride apart, or null
struct small_rows {
  const float* a;
  std::ptrdiff_t offsets[8];
  size_t pieces, depth;
  std::ptrdiff_t piece_step;
  const float* weights;
  size_t panel_floats;
  const float* bias;
  float* out;
  const float* other;
  size_t out_stride, other_stride;
  bool relu;
  op join;
};

/// With `pieced` each piece is summed by itself, its even and its odd steps apart: of convolutions, whose sums
/// round less so. Else all in order, as product.hpp's are.
template <class A, size_t rows, size_t vectors, size_t packed, bool pieced>
[[gnu::noinline]] void multiply_small(const small_rows& block) {
  constexpr size_t chains = pieced ? 2 : 1;
  vec<A> sum[rows][vectors], part[chains][rows][vectors];
  const auto clear = [](auto& sums) __attribute__((always_inline)) {
    for_constants<rows * vectors>([&](auto i) { sums[i / vectors][i % vectors] = vec<A>(0.f); });
  };
  std::ptrdiff_t row[rows];
  for_constants<rows>([&](auto r) { row[r] = block.offsets[r]; });
  const float* weights = block.weights;
  const size_t panel_floats = block.panel_floats, depth = block.depth;
  const auto weight = [&](auto v) __attribute__((always_inline)) {
    constexpr size_t of_panel = packed / width<A>;
    return A::load(weights + v / of_panel * panel_floats + v % of_panel * width<A>);
  };
  const auto add = [&](auto& sums, const float* a) __attribute__((always_inline)) {
    // The operand with fewer vectors waits in registers while the other passes.
    if constexpr (rows < vectors) {
      vec<A> x[rows];
      for_constants<rows>([&](auto r) { x[r] = vec<A>(a[row[r]]); });
      for_constants<vectors>([&](auto v) {
        const vec<A> w = rows == 1 ? weight(v) : A::in_register(weight(v));
        for_constants<rows>([&](auto r) { sums[r][v] = A::fma(x[r], w, sums[r][v]); });
      });
    } else {
      vec<A> w[vectors];
      for_constants<vectors>([&](auto v) { w[v] = A::in_register(weight(v)); });
      for_constants<rows>([&](auto r) {
        const vec<A> x(a[row[r]]);
        for_constants<vectors>([&](auto v) { sums[r][v] = A::fma(x, w[v], sums[r][v]); });
      });
    }
    weights += packed;
  };
  clear(sum);
  const float* piece = block.a;
  for (size_t p = block.pieces; p > 0; --p, piece += block.piece_step) {
    for_constants<chains>([&](auto c) { clear(part[c]); });
    const float *a = piece, *const end = a + depth;
    if constexpr (multiplies_by_lane<A> && rows > 1 && rows >= vectors)
      for (; a + width<A> <= end; a += width<A>) {
        vec<A> x[rows];
        for_constants<rows>([&](auto r) { x[r] = A::load(a + row[r]); });
        for_constants<width<A>>([&](auto lane) {
          for_constants<vectors>([&](auto v) {
            const vec<A> w = weight(v);
            for_constants<rows>([&](auto r) {
              vec<A>& added = part[lane % chains][r][v];
              added = A::template fma_lane<lane>(w, x[r], added);
            });
          });
          weights += packed;
        });
      }
    for (; a + chains <= end; a += chains) for_constants<chains>([&](auto c) { add(part[c], a + c); });
    if (pieced && a < end) add(part[0], a);
    for_constants<rows * vectors>([&](auto i) {
      const auto of = [&](size_t c) __attribute__((always_inline)) {
        return part[c][i / vectors][i % vectors];
      };
      vec<A>& all = sum[i / vectors][i % vectors];
      if constexpr (pieced)
        all = all + (of(0) + of(1));
      else
        all = of(0); // of one piece
    });
  }
  // Of its own: for what is stored the compiler can't know that it is none of the block's.
  const float *const other = block.other, *const bias = block.bias;
  float* const out = block.out;
  const size_t other_stride = block.other_stride, out_stride = block.out_stride;
  const bool relu = block.relu;
  const op join = block.join;
  const auto finish = [&](auto v) __attribute__((always_inline)) {
    const vec<A> b = bias ? A::load(bias + v * width<A>) : vec<A>(0.f);
    for_constants<rows>([&](auto r) __attribute__((always_inline)) {
      vec<A> y = sum[r][v] + b;
      if (relu) y = math::relu<A>(y);
      if (other) y = joined<A>(join, y, A::load(other + r * other_stride + v * width<A>));
      A::store(out + r * out_stride + v * width<A>, y);
    });
  };
  for_constants<vectors>(finish);
}

/// What multiplies blocks of rows by vectors of A.
template <class Arch, class A, bool pieced>
struct small_blocks {
  using multiply = void (*)(const small_rows&);
  template <size_t rows, size_t vectors>
  static constexpr multiply function = multiply_small<A, rows, vectors, panel<Arch>, pieced>;
  static constexpr multiply vector[] = {function<1, 1>, function<2, 1>, function<3, 1>, function<4, 1>};
  static constexpr multiply whole[] = {function<1, 2>, function<2, 2>, function<3, 2>, function<4, 2>};
  static constexpr multiply several[] = {function<1, 2 * block_panels<A>(1)>,
                                         function<2, 2 * block_panels<A>(2)>,
                                         function<3, 2 * block_panels<A>(3)>};

  /// Whether as many sums find room beside the operands.
  static constexpr bool fit(size_t rows, size_t vectors) {
    return rows * vectors * (pieced ? 3 : 1) + vectors < A::registers;
  }
  /// How many of `rows` come next: never one row of many.
  static size_t next(size_t rows, size_t vectors) {
    if (rows >= 8 && vectors <= 2 && fit(8, vectors)) return 8;
    if (vectors == 2 && !fit(4, 2)) return smaller(rows, 2);
    return rows > 4 && rows < 8 ? ceil_div(rows, 2) : smaller(rows, 4);
  }
  static multiply of(size_t rows, size_t vectors) {
    if constexpr (width<A> == width<Arch>) {
      if constexpr (!pieced)
        if (vectors > 2) return several[rows - 1];
      if constexpr (fit(8, 2))
        if (vectors == 2 && rows == 8) return function<8, 2>;
      if (vectors == 2) return whole[rows - 1];
    }
    if constexpr (fit(8, 1))
      if (rows == 8) return function<8, 1>;
    return vector[rows - 1];
  }
};

/// Columns of a product, or of a convolution, that blocks take together: of `columns` that are left, for so
/// many rows.
template <class Arch, bool pieced>
struct small_columns {
  bool narrow; // one vector of the narrower set
  size_t vectors;
  small_columns(size_t columns, size_t rows)
      : narrow(columns <= width<simd::narrower<Arch>> && width<simd::narrower<Arch>> < width<Arch>) {
    const size_t together = rows < 4 && !pieced ? block_panels<Arch>(rows) : 1;
    vectors = columns <= width<Arch> ? 1 : columns > (together - 1) * panel<Arch> ? 2 * together : 2;
  }
  size_t floats() const { return narrow ? width<simd::narrower<Arch>> : vectors * width<Arch>; }
};

/// Rows [0, rows), of which r begins at row(r).
template <class Arch, class A, bool pieced, class Row>
inline void multiply_small_rows(small_rows& block, size_t rows, size_t vectors, const Row& row) {
  for (size_t done = 0, count; done < rows; done += count) {
    count = small_blocks<Arch, A, pieced>::next(rows - done, vectors);
    block.a = row(done);
    block.offsets[0] = 0;
    for (size_t r = 1; r < count; ++r) block.offsets[r] = row(done + r) - block.a;
    small_blocks<Arch, A, pieced>::of(count, vectors)(block);
    block.out += count * block.out_stride;
    if (block.other) block.other += count * block.other_stride;
  }
}

/// What rows are made of: `count` pieces of `depth` floats that begin `step` apart.
struct row_pieces {
  size_t count, depth;
  std::ptrdiff_t step;
};

/// Rows [first, first + rows) of a part, of which r begins at row(r).
template <class Arch, bool pieced, class Row>
inline void multiply_small_part(const row_pieces& pieces, const product_part& part, size_t first, size_t rows,
                                const Row& row) {
  constexpr size_t tile_rows = 16; // that finish_block takes together
  alignas(64) float tile[tile_rows * panel<Arch>], padded_bias[most_columns];
  const size_t depth = pieces.count * pieces.depth;
  const bool ends_in_registers = part.act == op::none || part.act == op::relu;
  small_rows block;
  block.pieces = pieces.count, block.depth = pieces.depth, block.piece_step = pieces.step;
  block.panel_floats = depth * panel<Arch>;
  block.join = part.join;
  for (size_t column = 0, floats; column < part.columns; column += floats) {
    const small_columns<Arch, pieced> together(part.columns - column, rows);
    floats = together.floats();
    const size_t columns = smaller(part.columns - column, floats);
    const bool in_place = ends_in_registers && columns == floats; // else finish_block ends them
    block.relu = in_place && part.act == op::relu;
    block.weights = static_cast<const float*>(part.panels) + column * depth;
    block.bias = bias_of<Arch>(part, column, columns, floats, padded_bias);
    for (size_t done = 0, count; done < rows; done += count) {
      count = in_place ? rows : smaller(rows - done, tile_rows);
      if (in_place) {
        block.out = part.out + (first + done) * part.out_stride + column;
        block.other = part.other ? part.other + (first + done) * part.other_stride + column : nullptr;
        block.out_stride = part.out_stride, block.other_stride = part.other_stride;
      } else {
        block.out = tile, block.out_stride = floats;
        block.other = nullptr;
      }
      const auto from = [&](size_t r) { return row(first + done + r); };
      if (together.narrow)
        multiply_small_rows<Arch, narrower<Arch>, pieced>(block, count, 1, from);
      else
        multiply_small_rows<Arch, Arch, pieced>(block, count, together.vectors, from);
      if (!in_place)
        (together.narrow ? finish_block<narrower<Arch>> : finish_block<Arch>)(part, count, first + done,
                                                                              column, columns, tile, floats);
    }
  }
}

} // namespace fovea::core::simd::detail
