#pragma once

// The matrix product by weights in integer_int8, integer_q8_0 and integer_q4_0 (weight_format.hpp): rows
// become whole numbers of one scale, or of one for each group, as the weights are, and what shares a scale is
// summed as integers. Sums of integers have no order, and what is scaled is added group by group, so that the
// bits depend on neither the blocks nor the split among threads.

#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/kernels/weight_panel.hpp>
#include <utility>

namespace fovea::simd {

namespace detail {

inline constexpr size_t groups_of(size_t depth) { return ceil_div(depth, weight_group); }

/// Rows as whole numbers; what lies behind the depth is zero. Those of a register block lie side by side
/// group by group, so that the product finds them at constant distances.
///   numbers  [blocks, groups, rows of the block, 32], -127 to 127
///   scales   [blocks, groups, rows of the block], or [rows]; a number times its scale is near the value
///   below    as many: the sum of the numbers, with the other sign
struct integer_rows {
  static constexpr size_t most_groups = most_integer_depth / weight_group;
  size_t groups;
  alignas(64) signed char numbers[most_groups * weight_group];
  float scales[most_groups];
  std::int32_t below[most_groups];
};

/// The magnitudes of some values, seen as integers: the largest is that of the largest value, and of one that
/// is not finite if there is one.
template <class Arch>
struct largest_magnitude {
  int_vec<Arch> bits_of = int_vec<Arch>(0);

  void see(const vec<Arch>& x) { bits_of = xsimd::max(bits_of, bits<Arch>(x) & int_vec<Arch>(0x7fffffff)); }
  float value() const { // of NaN, which floats' max passes over, infinity
    return reduce_max<Arch>(from_bits<Arch>(xsimd::min(bits_of, int_vec<Arch>(0x7f800000))));
  }
};

/// How the values of one scale become whole numbers, `most` being the largest magnitude.
template <class Arch>
struct rounding {
  float scale; // NaN where a value is not finite
  vec<Arch> steps, sum = vec<Arch>(0.f);

  explicit rounding(float most) : scale(most / 127 + most * 0), steps(most > 0x1p-100f ? 127 / most : 0.f) {}

  void round(const vec<Arch>& x, signed char* to) {
    const vec<Arch> whole(0x1.8p23f); // has no fraction
    const vec<Arch> rounded = fma<Arch>(x, steps, whole);
    sum = sum + (rounded - whole);
    store_low_bytes<Arch>(bits<Arch>(rounded), to);
  }
  void finish(integer_rows& to, size_t at) const {
    to.scales[at] = scale;
    to.below[at] = static_cast<std::int32_t>(-reduce_add<Arch>(sum));
  }
};

/// f(vector, place) for 32 values, of which those from `count` on are zero.
template <class Arch, class F>
[[gnu::always_inline]] inline void for_group(const float* x, size_t count, const F& f) {
  for_constants<weight_group / width<Arch>>([&](auto v) {
    constexpr size_t first = v * width<Arch>;
    f(first + width<Arch> <= count ? load<Arch>(x + first)
      : first < count              ? load_first<Arch>(x + first, count - first)
                                   : vec<Arch>(0.f),
      first);
  });
}

/// A row whose groups have scales of their own: group g goes to place first + g * apart of `to`.
template <class Arch>
inline void round_groups(const float* x, size_t depth, integer_rows& to, size_t first, size_t apart) {
  for (size_t g = 0; g < to.groups; ++g) {
    const size_t at = first + g * apart, count = smaller(weight_group, depth - g * weight_group);
    largest_magnitude<Arch> largest;
    for_group<Arch>(x + g * weight_group, count, [&](const vec<Arch>& value, size_t) { largest.see(value); });
    rounding<Arch> made(largest.value());
    for_group<Arch>(x + g * weight_group, count, [&](const vec<Arch>& value, size_t place) {
      made.round(value, to.numbers + at * weight_group + place);
    });
    made.finish(to, at);
  }
}

/// A row of one scale, which is number `row`.
template <class Arch>
inline void round_row(const float* x, size_t depth, integer_rows& to, size_t first, size_t apart,
                      size_t row) {
  largest_magnitude<Arch> largest;
  for_vectors<Arch>(depth, [&](size_t k, auto here) { largest.see(here.load(x + k)); });
  rounding<Arch> made(largest.value());
  for (size_t g = 0; g < to.groups; ++g)
    for_group<Arch>(x + g * weight_group, smaller(weight_group, depth - g * weight_group),
                    [&](const vec<Arch>& value, size_t place) {
                      made.round(value, to.numbers + (first + g * apart) * weight_group + place);
                    });
  made.finish(to, row);
}

/// out[rows, packed] = bias + rows from `row` on * the columns of a panel. One panel at a time: read two by
/// two, panels of q4_0 come from memory at two thirds of its bandwidth.
template <class Arch, class dot, weight_format format, size_t rows>
inline void multiply_integers(const integer_rows& x, size_t row, const unsigned char* panel_of_weights,
                              const float* bias, float* out, size_t out_stride) {
  using layout = panel_layout<format>;
  constexpr size_t packed = panel<Arch>, vectors = packed / width<Arch>;
  // Sums that a few rows add to in turn, for an addition to the one before need not be awaited.
  constexpr size_t turns = !layout::scaled_by_row || rows * vectors > 4 ? 1 : 8 / (rows * vectors);
  vec<Arch> sum[rows][vectors];
  int_vec<Arch> dots[turns][rows][vectors];
  const auto begin_sums = [&]() __attribute__((always_inline)) {
    for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
      const vec<Arch> begin = load<Arch>(bias + v * width<Arch>);
      for_constants<rows>([&](auto r) __attribute__((always_inline)) { sum[r][v] = begin; });
    });
  };
  const auto begin_dots = [&](size_t first) __attribute__((always_inline)) {
    for_constants<rows>([&](auto r) __attribute__((always_inline)) {
      int_vec<Arch> begin(dot::excess == 0 ? 0 : x.below[first + r]);
      if constexpr (dot::excess > 0) begin = begin << dot::excess;
      for_constants<turns * vectors>([&](auto i) __attribute__((always_inline)) {
        dots[i / vectors][r][i % vectors] = i < vectors ? begin : int_vec<Arch>(0);
      });
    });
  };
  const auto add_group = [&](size_t first, const unsigned char* from) __attribute__((always_inline)) {
    const signed char* numbers = x.numbers + first * weight_group;
    for_constants<weight_group / 4>([&](auto quad) __attribute__((always_inline)) {
      const auto weights_of = [&](size_t v) __attribute__((always_inline)) {
        const unsigned char* at = from + quad * 4 * layout::row_bytes(packed);
        if constexpr (layout::of_4_bits) {
          const auto two = load_bytes<Arch>(at);
          return dot::ready((v == 0 ? two : two >> 4) & int_vec<Arch>(0x0f0f0f0f));
        } else {
          return dot::ready(load_bytes<Arch>(at + v * 4 * width<Arch>));
        }
      };
      typename dot::weights weights[vectors];
      for_constants<vectors>([&](auto v) __attribute__((always_inline)) { weights[v] = weights_of(v); });
      for_constants<rows>([&](auto r) __attribute__((always_inline)) {
        std::int32_t four;
        std::memcpy(&four, numbers + r * weight_group + 4 * quad, sizeof four);
        for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
          int_vec<Arch>& to = dots[quad % turns][r][v];
          to = dot::add(to, weights[v], int_vec<Arch>(four));
        });
      });
    });
  };
  const auto add_dots = [&](size_t first, const unsigned char* scales) __attribute__((always_inline)) {
    for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
      const vec<Arch> scale = load_scales<Arch, layout>(scales + v * width<Arch> * layout::scale_bytes);
      for_constants<rows>([&](auto r) __attribute__((always_inline)) {
        for_constants<turns - 1>([&](auto turn) __attribute__((always_inline)) {
          dots[0][r][v] = dots[0][r][v] + dots[turn + 1][r][v];
        });
        const vec<Arch> both = scale * vec<Arch>(x.scales[first + r]);
        sum[r][v] = fma<Arch>(to_float<Arch>(dots[0][r][v]), both, sum[r][v]);
      });
    });
  };
  if constexpr (layout::scaled_by_row) { // the integers need all registers
    begin_dots(row);
    for (size_t g = 0; g < x.groups; ++g)
      add_group(row * x.groups + g * rows, panel_of_weights + layout::place(packed, g * weight_group, 0));
    begin_sums();
    add_dots(row, panel_of_weights);
  } else {
    begin_sums();
    for (size_t g = 0; g < x.groups; ++g) {
      const size_t first = row * x.groups + g * rows, k = g * weight_group;
      begin_dots(first);
      add_group(first, panel_of_weights + layout::place(packed, k, 0));
      add_dots(first, panel_of_weights + layout::scales(packed, k));
    }
  }
  for_constants<rows * vectors>([&](auto i) __attribute__((always_inline)) {
    store<Arch>(out + i / vectors * out_stride + i % vectors * width<Arch>, sum[i / vectors][i % vectors]);
  });
}

/// Panel `at` of a part, for rows from `row` on of those that `x` holds, of which the first is `first` of
/// all.
struct integer_work {
  const product_args* args;
  const product_part* part;
  const integer_rows* x;
  size_t first, row, at;
};

template <class Arch, class dot, weight_format format, size_t rows>
void multiply_integer_block(const integer_work& work) {
  constexpr size_t block = panel<Arch>;
  const product_part& part = *work.part;
  const size_t column = work.at * block, columns = smaller(part.columns - column, block);
  const size_t bytes = panel_layout<format>::bytes(block, work.args->depth);
  alignas(64) float tile[rows * block], bias[block] = {};
  if (part.bias) std::memcpy(bias, part.bias + column, columns * sizeof(float));
  const size_t row = work.first + work.row;
  const bool as_it_is = part.act == activation::none && !part.other && columns == block;
  multiply_integers<Arch, dot, format, rows>(
      *work.x, work.row, static_cast<const unsigned char*>(part.panels) + work.at * bytes, bias,
      as_it_is ? part.out + row * part.out_stride + column : tile, as_it_is ? part.out_stride : block);
  if (!as_it_is) finish_block<Arch, rows, block>(part, row, column, columns, tile);
}

/// Rows of the largest register block. Where groups have scales, each sum takes a second register.
template <class Arch>
constexpr size_t integer_block_rows(bool scaled_by_row) {
  return width<Arch> < 16 ? 4 : scaled_by_row ? 12 : 6;
}
/// Of the blocks that `rows` rows fall into, as even as can be.
template <class Arch>
constexpr size_t integer_block_rows(bool scaled_by_row, size_t rows) {
  return ceil_div(rows, ceil_div(rows, integer_block_rows<Arch>(scaled_by_row)));
}

template <class Arch, class dot, weight_format format, class Index>
struct integer_blocks;

template <class Arch, class dot, weight_format format, size_t... index>
struct integer_blocks<Arch, dot, format, std::index_sequence<index...>> {
  static constexpr void (*of[])(const integer_work&) = {
      multiply_integer_block<Arch, dot, format, index + 1>...};
};

/// Panels [first, last) of a part, for `rows` rows.
template <class Arch, class dot, weight_format format>
inline void multiply_integer_panels(integer_work work, size_t rows, size_t last) {
  constexpr bool by_row = panel_layout<format>::scaled_by_row;
  using blocks =
      integer_blocks<Arch, dot, format, std::make_index_sequence<integer_block_rows<Arch>(by_row)>>;
  const size_t together = integer_block_rows<Arch>(by_row, rows);
  for (; work.at < last; ++work.at)
    for (work.row = 0; work.row < rows;) {
      const size_t block = smaller(rows - work.row, together);
      blocks::of[block - 1](work);
      work.row += block;
    }
}

/// Rows that integer_rows holds of a depth, in whole register blocks where it can.
template <class Arch>
inline size_t rows_together(size_t depth, size_t block) {
  const size_t rows = integer_rows::most_groups / larger(groups_of(depth), 1);
  return rows < block ? rows : rows / block * block;
}

/// The tasks of a product: each is some panels, one behind the other through all parts, for one group of
/// rows. A row's numbers cost what three panels take to multiply them, so that few tasks make the same ones.
struct integer_grid {
  static constexpr size_t together = 6; // panels of a task
  size_t panels, group_rows, groups;
  size_t panel_tasks() const { return ceil_div(panels, together); }
};

/// Whether rows have one scale each: all parts are of one format.
inline bool scales_rows(const product_args& args) {
  return args.parts[0].format == weight_format::integer_int8;
}

template <class Arch>
inline integer_grid integer_tasks_of(const product_args& args) {
  integer_grid grid{};
  for (size_t p = 0; p < args.part_count; ++p) grid.panels += ceil_div(args.parts[p].columns, panel<Arch>);
  if (args.rows == 0 || grid.panels == 0) return grid;
  const size_t block = integer_block_rows<Arch>(scales_rows(args));
  const size_t wanted = ceil_div(16, grid.panel_tasks()); // for threads to end together
  const size_t of_tasks = ceil_div(ceil_div(args.rows, wanted), block) * block;
  grid.group_rows = smaller(of_tasks, rows_together<Arch>(args.depth, block));
  grid.groups = ceil_div(args.rows, grid.group_rows);
  return grid;
}

} // namespace detail

template <class Arch>
size_t integer_product_tasks(const product_args& args) {
  const auto grid = detail::integer_tasks_of<Arch>(args);
  return grid.groups * grid.panel_tasks();
}

template <class Arch, class dots = detail::byte_dots<Arch>>
void integer_product(const product_args& args, size_t first, size_t last) {
  using namespace detail;
  const auto grid = integer_tasks_of<Arch>(args);
  const bool by_row = scales_rows(args);
  integer_rows x;
  x.groups = groups_of(args.depth);
  while (first < last) {
    const size_t tasks = grid.panel_tasks(), group = first / tasks, row = group * grid.group_rows,
                 rows = smaller(grid.group_rows, args.rows - row), end = smaller(last, (group + 1) * tasks);
    const size_t together = integer_block_rows<Arch>(by_row, rows);
    for (size_t r = 0; r < rows; ++r) {
      const size_t block = r / together * together, at = block * x.groups + r - block,
                   apart = smaller(rows - block, together);
      if (by_row)
        round_row<Arch>(left_row(args, row + r), args.depth, x, at, apart, r);
      else
        round_groups<Arch>(left_row(args, row + r), args.depth, x, at, apart);
    }
    const product_part* part = args.parts;
    size_t at = (first - group * tasks) * grid.together,
           left = smaller((end - group * tasks) * grid.together, grid.panels) - at;
    for (first = end; left > 0;) {
      for (; at >= ceil_div(part->columns, panel<Arch>); ++part) at -= ceil_div(part->columns, panel<Arch>);
      const size_t count = smaller(ceil_div(part->columns, panel<Arch>) - at, left);
      const integer_work work{&args, part, &x, row, 0, at};
      with_format(part->format, [&](auto layout) {
        if constexpr (layout.integers)
          multiply_integer_panels<Arch, typename dots::template with<layout.of_4_bits>, layout.of>(
              work, rows, at + count);
      });
      left -= count, at += count;
    }
  }
}

} // namespace fovea::simd
