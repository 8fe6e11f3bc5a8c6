#pragma once

// The matrix product by weights in integer_q8_0 and integer_q4_0 (weight_format.hpp): rows become whole
// numbers a group at a time, as the weights are, and a group's products are summed as integers. Sums of
// integers have no order, and what is scaled is added group by group, so that the bits depend on neither the
// blocks nor the split among threads.

#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/byte_dot.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <utility>

namespace fovea::simd {

namespace detail {

inline constexpr size_t groups_of(size_t depth) { return ceil_div(depth, weight_group); }

/// Rows as whole numbers; what lies behind the depth is zero. Those of a register block lie side by side
/// group by group, so that the product finds them at constant distances.
///   numbers  [blocks, groups, rows of the block, 32], -127 to 127
///   scales   [blocks, groups, rows of the block]; a number times its scale is near the value
///   below    as many: the sum of the numbers, with the other sign
struct integer_rows {
  static constexpr size_t most_groups = most_integer_depth / weight_group;
  size_t groups;
  alignas(64) signed char numbers[most_groups * weight_group];
  float scales[most_groups];
  std::int32_t below[most_groups];
};

/// One group: `count` values of a row, the others of the 32 being zero.
template <class Arch>
inline void to_integers(const float* x, size_t count, integer_rows& to, size_t at) {
  constexpr size_t vectors = weight_group / width<Arch>;
  vec<Arch> value[vectors], largest(0.f), spoilt(0.f);
  for_constants<vectors>([&](auto v) {
    constexpr size_t first = v * width<Arch>;
    value[v] = first + width<Arch> <= count ? load<Arch>(x + first)
               : first < count              ? load_first<Arch>(x + first, count - first)
                                            : vec<Arch>(0.f);
    largest = xsimd::max(largest, xsimd::abs(value[v]));
    spoilt = fma<Arch>(value[v], vec<Arch>(0.f), spoilt); // zero, or NaN where a value is not finite
  });
  const float most = reduce_max<Arch>(largest);
  const vec<Arch> steps(most > 0x1p-100f ? 127 / most : 0.f), whole(0x1.8p23f); // has no fraction
  vec<Arch> sum(0.f);
  alignas(64) std::int32_t number[weight_group];
  for_constants<vectors>([&](auto v) {
    const vec<Arch> rounded = fma<Arch>(value[v], steps, whole);
    sum = sum + (rounded - whole);
    bits<Arch>(rounded).store_aligned(number + v * width<Arch>);
  });
  signed char* numbers = to.numbers + at * weight_group;
  for (size_t k = 0; k < weight_group; ++k) numbers[k] = static_cast<signed char>(number[k]);
  to.scales[at] = most / 127 + reduce_add<Arch>(spoilt);
  to.below[at] = static_cast<std::int32_t>(-reduce_add<Arch>(sum));
}

/// out[rows, packed] = rows from `row` on * the columns of a panel. One panel at a time: read two by two,
/// panels of q4_0 come from memory at two thirds of its bandwidth.
template <class Arch, class dot, weight_format format, size_t rows>
inline void multiply_integers(const integer_rows& x, size_t row, const unsigned char* panel_of_weights,
                              float* out) {
  using layout = panel_layout<format>;
  constexpr size_t packed = panel<Arch>, vectors = packed / width<Arch>;
  vec<Arch> sum[rows][vectors];
  for_constants<rows * vectors>([&](auto i) { sum[i / vectors][i % vectors] = vec<Arch>(0.f); });
  for (size_t g = 0; g < x.groups; ++g) {
    const size_t first = row * x.groups + g * rows;
    const unsigned char* group = panel_of_weights + layout::scales(packed, g * weight_group);
    int_vec<Arch> dots[rows][vectors];
    for_constants<rows>([&](auto r) {
      int_vec<Arch> begin(dot::excess == 0 ? 0 : x.below[first + r]);
      if constexpr (dot::excess > 0) begin = begin << dot::excess;
      for_constants<vectors>([&](auto v) { dots[r][v] = begin; });
    });
    const signed char* numbers = x.numbers + first * weight_group;
    const auto numbers_of = [&](size_t r, size_t quad) {
      std::int32_t four;
      std::memcpy(&four, numbers + r * weight_group + 4 * quad, sizeof four);
      return int_vec<Arch>(four);
    };
    for_constants<weight_group / 4>([&](auto quad) __attribute__((always_inline)) {
      const auto weights_of = [&](size_t v) {
        const unsigned char* at = group + packed * layout::scale_bytes + quad * 4 * layout::row_bytes(packed);
        if constexpr (layout::of_4_bits) {
          const auto two = load_bytes<Arch>(at);
          return dot::ready((v == 0 ? two : two >> 4) & int_vec<Arch>(0x0f0f0f0f));
        } else {
          return dot::ready(load_bytes<Arch>(at + v * 4 * width<Arch>));
        }
      };
      typename dot::weights weights[vectors];
      for_constants<vectors>([&](auto v) { weights[v] = weights_of(v); });
      for_constants<rows>([&](auto r) {
        const int_vec<Arch> four = numbers_of(r, quad);
        for_constants<vectors>([&](auto v) { dots[r][v] = dot::add(dots[r][v], weights[v], four); });
      });
    });
    for_constants<vectors>([&](auto v) {
      const vec<Arch> scale = load_half<Arch>(group + v * width<Arch> * layout::scale_bytes);
      for_constants<rows>([&](auto r) {
        const vec<Arch> both = scale * vec<Arch>(x.scales[first + r]);
        sum[r][v] = fma<Arch>(to_float<Arch>(dots[r][v]), both, sum[r][v]);
      });
    });
  }
  for_constants<rows * vectors>(
      [&](auto i) { sum[i / vectors][i % vectors].store_aligned(out + i * width<Arch>); });
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
  alignas(64) float tile[rows * block];
  multiply_integers<Arch, dot, format, rows>(
      *work.x, work.row, static_cast<const unsigned char*>(part.panels) + work.at * bytes, tile);
  if (part.bias)
    for (size_t r = 0; r < rows; ++r)
      for (size_t j = 0; j < columns; ++j) tile[r * block + j] += part.bias[column + j];
  finish_block<Arch, rows, block>(part, work.first + work.row, column, columns, tile);
}

/// Rows of the largest register block.
template <class Arch>
inline constexpr size_t integer_block_rows = width<Arch> == 16 ? 6 : 4;

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
  constexpr size_t most = integer_block_rows<Arch>;
  using blocks = integer_blocks<Arch, dot, format, std::make_index_sequence<most>>;
  for (; work.at < last; ++work.at)
    for (work.row = 0; work.row < rows;) {
      const size_t block = smaller(rows - work.row, most);
      blocks::of[block - 1](work);
      work.row += block;
    }
}

/// Rows that integer_rows holds of a depth, in whole register blocks where it can.
template <class Arch>
inline size_t rows_together(size_t depth) {
  constexpr size_t block = integer_block_rows<Arch>;
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

template <class Arch>
inline integer_grid integer_tasks_of(const product_args& args) {
  constexpr size_t block = integer_block_rows<Arch>;
  integer_grid grid{};
  for (size_t p = 0; p < args.part_count; ++p) grid.panels += ceil_div(args.parts[p].columns, panel<Arch>);
  if (args.rows == 0 || grid.panels == 0) return grid;
  const size_t wanted = ceil_div(16, grid.panel_tasks()); // for threads to end together
  const size_t of_tasks = ceil_div(ceil_div(args.rows, wanted), block) * block;
  grid.group_rows = smaller(of_tasks, rows_together<Arch>(args.depth));
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
  integer_rows x;
  x.groups = groups_of(args.depth);
  while (first < last) {
    const size_t tasks = grid.panel_tasks(), group = first / tasks, row = group * grid.group_rows,
                 rows = smaller(grid.group_rows, args.rows - row), end = smaller(last, (group + 1) * tasks);
    constexpr size_t most = integer_block_rows<Arch>;
    for (size_t r = 0; r < rows; ++r) {
      const float* from = left_row(args, row + r);
      const size_t block = r / most * most, block_rows = smaller(rows - block, most);
      for (size_t g = 0; g < x.groups; ++g)
        to_integers<Arch>(from + g * weight_group, smaller(weight_group, args.depth - g * weight_group), x,
                          block * x.groups + g * block_rows + r - block);
    }
    const product_part* part = args.parts;
    size_t at = (first - group * tasks) * grid.together,
           left = smaller((end - group * tasks) * grid.together, grid.panels) - at;
    for (first = end; left > 0;) {
      for (; at >= ceil_div(part->columns, panel<Arch>); ++part) at -= ceil_div(part->columns, panel<Arch>);
      const size_t count = smaller(ceil_div(part->columns, panel<Arch>) - at, left);
      const integer_work work{&args, part, &x, row, 0, at};
      if (part->format == weight_format::integer_q4_0)
        multiply_integer_panels<Arch, typename dots::template with<true>, weight_format::integer_q4_0>(
            work, rows, at + count);
      else
        multiply_integer_panels<Arch, typename dots::template with<false>, weight_format::integer_q8_0>(
            work, rows, at + count);
      left -= count, at += count;
    }
  }
}

} // namespace fovea::simd
