#pragma once

// The matrix product by weights of formats whose products round the rows too (weight_format.hpp). Those that
// are whole numbers have one scale a row, or one a group, as the weights have, and what shares a scale is
// summed as integers: such sums have no order. What is scaled is added group by group, and all else in the
// order of the depth, so that the bits depend on neither the blocks nor the split among threads.

#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/pair_product.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/rounded_rows.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/kernels/weight_panel.hpp>
#include <utility>

namespace fovea::core::simd {

namespace detail {

/// Whether two rows are multiplied at once.
template <class dot>
concept takes_two_rows = requires {
  typename dot::two_rows;
};

/// Whether an instruction multiplies and adds to the sum, which leaves registers for more sums.
template <class dot>
concept is_one_instruction = requires {
  requires dot::one_instruction;
};

/// Whether rows in bfloat16 are multiplied as float32.
template <class dot>
concept takes_floats = requires {
  requires dot::in_float32;
};
/// Bytes of a row for a group, and of those for each lane of weights.
template <class dot>
inline constexpr size_t group_bytes_of =
    takes_floats<dot> ? row_of_floats::wide_group_bytes : rounded_rows::group_bytes;
template <class dot>
inline constexpr size_t lane_bytes_of = group_bytes_of<dot> / (rounded_rows::group_bytes / 4);

/// How many of a block of `rows` are, the first ones. Dot products are faster for fewer than four.
template <class dot>
constexpr size_t rows_in_twos(size_t rows) {
  return takes_two_rows<dot> && rows >= 4 ? rows / 2 * 2 : 0;
}

/// Sums that a few rows add to in turn, so that none awaits the addition before.
template <class Arch, class layout, size_t rows>
constexpr size_t turns_of() {
  constexpr size_t vectors = panel<Arch> / width<Arch>;
  return !layout::grouped && rows * vectors < 8 ? 8 / (rows * vectors) : 1;
}

/// sum + dot products by a lane of the numbers of a row.
template <class Arch, class dot, size_t lane>
[[gnu::always_inline]] inline typename dot::sums
add_lane(const typename dot::sums& sum, const typename dot::weights& w, const unsigned char* numbers) {
  constexpr size_t in_vector = lane % width<Arch>;
  if constexpr (takes_floats<dot>) {
    return dot::add(sum, w, reinterpret_cast<const float*>(numbers + lane * lane_bytes_of<dot>));
  } else if constexpr (requires(int_vec<Arch> all) { dot::template add_lane<in_vector>(sum, w, all); }) {
    return dot::template add_lane<in_vector>(sum, w, Arch::load_bytes(numbers + 4 * (lane - in_vector)));
  } else {
    std::int32_t number;
    std::memcpy(&number, numbers + 4 * lane, sizeof number);
    return dot::add(sum, w, int_vec<Arch>(number));
  }
}

/// out[rows, packed] = bias + rows from `row` on * the columns of a panel. One panel at a time: read two by
/// two, panels of q4_0 come from memory at two thirds of its bandwidth.
template <class Arch, class dot, class layout, size_t rows>
inline void multiply_rounded(const rounded_rows& x, size_t row, const unsigned char* panel_of_weights,
                             const float* bias, float* out, size_t out_stride) {
  using sums = typename dot::sums;
  constexpr size_t packed = panel<Arch>, vectors = packed / width<Arch>,
                   turns = turns_of<Arch, layout, rows>(), twos = rows_in_twos<dot>(rows),
                   lanes = twos > 0 ? 2 : 1; // of weights at once
  vec<Arch> sum[rows][vectors];
  sums dots[turns][rows][vectors];
  const auto for_sums = [](const auto& f) __attribute__((always_inline)) {
    for_constants<rows * vectors>([&](auto i) __attribute__((always_inline)) {
      f(std::integral_constant<size_t, i / vectors>{}, std::integral_constant<size_t, i % vectors>{});
    });
  };
  const auto bias_of = [&](auto, auto v) __attribute__((always_inline)) {
    return Arch::load(bias + v * width<Arch>);
  };
  // Two rows of sums as instructions that take two have them, and back.
  const auto turn_twos = [&]() __attribute__((always_inline)) {
    if constexpr (twos > 0)
      for_constants<twos / 2 * vectors>([&](auto i) __attribute__((always_inline)) {
        constexpr size_t r = i / vectors * 2, v = i % vectors;
        const auto turned = dot::two_rows::turned(dots[0][r][v], dots[0][r + 1][v]);
        dots[0][r][v] = turned.first, dots[0][r + 1][v] = turned.second;
      });
  };
  const auto begin = [&](const auto& value) __attribute__((always_inline)) {
    for_sums([&](auto r, auto v) __attribute__((always_inline)) {
      dots[0][r][v] = value(r, v);
      for_constants<turns - 1>([&](auto turn)
                                   __attribute__((always_inline)) { dots[turn + 1][r][v] = sums(0); });
    });
    turn_twos();
  };
  // What has one scale of a group: all of it, or a part.
  constexpr size_t parts = layout::in_k_blocks ? weight_group / layout::together : 1,
                   bytes_of_part = rounded_rows::group_bytes / parts, lanes_of_part = bytes_of_part / 4;
  const auto add_group = [&](size_t g, size_t part = 0) __attribute__((always_inline)) {
    const size_t k = g * layout::group + part * bytes_of_part;
    const unsigned char* numbers = x.bytes + (row * x.groups + g * rows) * group_bytes_of<dot>;
    const unsigned char* from = panel_of_weights + layout::place(packed, k, 0);
    fetch_ahead<Arch, rows, bytes_of_part * packed / (layout::of_4_bits ? 2 : 1)>(from);
    int_vec<Arch> above[vectors];
    if constexpr (layout::in_k_blocks && layout::above_bits > 0)
      for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
        above[v] = Arch::load_bytes(panel_of_weights + layout::above(packed, k) +
                                    v * width<Arch> * layout::above_bytes);
      });
    for_constants<lanes_of_part / lanes>([&](auto step) __attribute__((always_inline)) {
      const auto weights_of = [&](size_t lane, size_t v) __attribute__((always_inline)) {
        if constexpr (layout::of_4_bits) {
          const auto two = Arch::load_bytes(from + lane * 2 * packed);
          auto low = (v == 0 ? two : two >> 4) & int_vec<Arch>(0x0f0f0f0f);
          if constexpr (layout::in_k_blocks &&
                        layout::above_bits > 0) { // two bits of each byte, lane by lane
            const auto at = static_cast<std::int32_t>(2 * lane);
            low = low | ((at < 4 ? above[v] << (4 - at) : above[v] >> (at - 4)) & int_vec<Arch>(0x30303030));
          }
          return dot::ready(low);
        } else {
          // In a register: as operands in memory they are read in another order, a tenth slower.
          return dot::ready(
              Arch::in_register(Arch::load_bytes(from + lane * 4 * packed + v * 4 * width<Arch>)));
        }
      };
      typename dot::weights weights[lanes][vectors];
      for_constants<lanes * vectors>([&](auto i) __attribute__((always_inline)) {
        weights[i / vectors][i % vectors] = weights_of(step * lanes + i / vectors, i % vectors);
      });
      sums(&to)[rows][vectors] = dots[step % turns];
      if constexpr (twos > 0)
        for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
          const auto half = dot::two_rows::ready(weights[0][v], weights[1][v]);
          for_constants<twos / 2>([&](auto two) __attribute__((always_inline)) {
            constexpr size_t r = 2 * two;
            const auto both = Arch::load_bytes(numbers + r * rounded_rows::group_bytes +
                                               2 * part * bytes_of_part + 16 * step);
            to[r][v] = dot::two_rows::add(to[r][v], half.first, both);
            to[r + 1][v] = dot::two_rows::add(to[r + 1][v], half.second, both);
          });
        });
      for_constants<lanes>([&](auto lane) __attribute__((always_inline)) {
        for_constants<(rows - twos) * vectors>([&](auto i) __attribute__((always_inline)) {
          constexpr size_t r = twos + i / vectors, v = i % vectors;
          to[r][v] = add_lane<Arch, dot, step * lanes + lane>(
              to[r][v], weights[lane][v], numbers + r * group_bytes_of<dot> + part * bytes_of_part);
        });
      });
    });
  };
  const auto end = [&]() __attribute__((always_inline)) {
    for_sums([&](auto r, auto v) __attribute__((always_inline)) {
      for_constants<turns - 1>([&](auto turn) __attribute__((always_inline)) {
        dots[0][r][v] = dots[0][r][v] + dots[turn + 1][r][v];
      });
    });
    turn_twos();
  };
  if constexpr (!layout::scaled) {
    begin(bias_of);
    for (size_t g = 0; g < x.groups; ++g) add_group(g);
    end();
    for_sums([&](auto r, auto v) __attribute__((always_inline)) { sum[r][v] = dots[0][r][v]; });
  } else {
    const auto begin_at = [&](size_t at) __attribute__((always_inline)) {
      begin([&](auto r, auto) __attribute__((always_inline)) {
        if constexpr (dot::excess == 0)
          return sums(0);
        else
          return sums(x.below[at + r]) << dot::excess;
      });
    };
    const auto add_scaled = [&](size_t at, const unsigned char* scales) __attribute__((always_inline)) {
      vec<Arch> scale[vectors];
      for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
        scale[v] = load_scales<Arch, layout>(scales + v * width<Arch> * layout::scale_bytes);
      });
      for_sums([&](auto r, auto v) __attribute__((always_inline)) {
        const vec<Arch> both = scale[v] * vec<Arch>(x.scales[at + r]);
        sum[r][v] = Arch::fma(Arch::to_float(dots[0][r][v]), both, sum[r][v]);
      });
    };
    const auto begin_sums = [&]() __attribute__((always_inline)) {
      for_sums([&](auto r, auto v) __attribute__((always_inline)) { sum[r][v] = bias_of(r, v); });
    };
    if constexpr (layout::in_k_blocks) {
      begin_sums();
      for (size_t g = 0; g < x.groups; ++g)
        for_constants<parts>([&](auto part) __attribute__((always_inline)) {
          const size_t at = row * x.groups + g * rows;
          begin([&](auto r, auto) __attribute__((always_inline)) {
            if constexpr (layout::above_bits > 0)
              return sums(x.below[2 * (at + r) + part]);
            else
              return sums(0);
          });
          add_group(g, part);
          end();
          k_group<Arch> group[vectors];
          for_constants<vectors>([&](auto v) __attribute__((always_inline)) {
            group[v] = k_group<Arch>::template of<layout, packed>(
                panel_of_weights, g * layout::group + part * bytes_of_part, v * width<Arch>);
          });
          for_sums([&](auto r, auto v) __attribute__((always_inline)) {
            const float scale = x.scales[at + r];
            sum[r][v] =
                Arch::fma(Arch::to_float(dots[0][r][v]), group[v].scale * vec<Arch>(scale), sum[r][v]);
            if constexpr (layout::halves == 2)
              sum[r][v] = Arch::fma(group[v].minimum, vec<Arch>(x.less[at + r]), sum[r][v]);
          });
        });
    } else if constexpr (layout::grouped) {
      begin_sums();
      for (size_t g = 0; g < x.groups; ++g) {
        const size_t at = row * x.groups + g * rows;
        begin_at(at);
        add_group(g);
        end();
        add_scaled(at, panel_of_weights + layout::scales(packed, g * layout::group));
      }
    } else { // until they are summed, the integers need all registers
      begin_at(row);
      for (size_t g = 0; g < x.groups; ++g) add_group(g);
      end();
      begin_sums();
      add_scaled(row, panel_of_weights);
    }
  }
  for_sums([&](auto r, auto v) __attribute__((always_inline)) {
    Arch::store(out + r * out_stride + v * width<Arch>, sum[r][v]);
  });
}

/// Panel `at` of a part, for rows from `row` on of the `held` that x holds, of which the first is row `first` of all.
struct rounded_work {
  const product_args* args;
  rounded_rows x;
  size_t held, first, row, rows;
  const product_part* part = nullptr;
  size_t at = 0;
};

template <class Arch, class dot, class layout, size_t rows>
void multiply_rounded_block(const rounded_work& work) {
  constexpr size_t block = panel<Arch>;
  const product_part& part = *work.part;
  const size_t column = work.at * block, columns = smaller(part.columns - column, block);
  const size_t row = work.first + work.row, bytes = layout::bytes(block, work.args->depth);
  const bool as_it_is = part.act == op::none && !part.other && columns == block;
  alignas(64) float tile[rows * block], bias[block] = {};
  if (part.bias) std::memcpy(bias, part.bias + column, columns * sizeof(float));
  const auto* panel_of_weights = static_cast<const unsigned char*>(part.panels) + work.at * bytes;
  float* out = as_it_is ? part.out + row * part.out_stride + column : tile;
  const size_t out_stride = as_it_is ? part.out_stride : block;
  const auto finish = [&] {
    if (!as_it_is) finish_block<Arch>(part, work.rows, row, column, columns, tile, block);
  };
  if constexpr (limits_rows<dot, layout>)
    if (are_within(work.x, work.held, work.row, rows)) {
      multiply_limited<Arch, typename dot::limited, layout, rows>(work.x, work.held, work.row,
                                                                  panel_of_weights, bias, out, out_stride);
      finish();
      return;
    }
  if constexpr (sums_pairs<dot, layout>)
    multiply_pairs<Arch, dot, layout, rows>(work.x, work.row, panel_of_weights, bias, out, out_stride);
  else
    multiply_rounded<Arch, dot, layout, rows>(work.x, work.row, panel_of_weights, bias, out, out_stride);
  finish();
}

/// Rows of the largest register block. Where groups have scales, each sum takes a second register. Of many rows one
/// is beyond the limit more often.
template <class Arch, class dot, class layout>
constexpr size_t most_block_rows() {
  if (limits_rows<dot, layout>) return 4;
  if (width<Arch> >= 16) return layout::grouped ? 6 : 12;
  if (takes_two_rows<dot>) return layout::grouped ? 6 : 8;
  return is_one_instruction<dot> && !layout::grouped ? 6 : 4;
}
/// Of the blocks that `rows` rows fall into, as even as can be; where two are multiplied at once, all but the
/// last block have an even number.
template <class Arch, class dot, class layout>
constexpr size_t block_rows_of(size_t rows) {
  constexpr size_t at_once = takes_two_rows<dot> ? 2 : 1;
  const size_t even = ceil_div(rows, ceil_div(rows, most_block_rows<Arch, dot, layout>()));
  return ceil_div(even, at_once) * at_once;
}

template <class Arch, class dot, class layout, class Index>
struct rounded_blocks;

template <class Arch, class dot, class layout, size_t... index>
struct rounded_blocks<Arch, dot, layout, std::index_sequence<index...>> {
  static constexpr void (*of[])(const rounded_work&) = {
      multiply_rounded_block<Arch, dot, layout, index + 1>...};
};

/// Panels [first, last) of a part, for the rows of `group`.
template <class Arch, class dot, class layout>
inline void multiply_rounded_panels(const rounded_work& group, size_t first, size_t last) {
  using blocks =
      rounded_blocks<Arch, dot, layout, std::make_index_sequence<most_block_rows<Arch, dot, layout>()>>;
  const size_t together = block_rows_of<Arch, dot, layout>(group.rows), end = group.row + group.rows;
  rounded_work work = group;
  for (size_t i = first; i < last; ++i) {
    work.at = work.args->backward ? last - 1 - (i - first) : i;
    for (work.row = group.row; work.row < end; work.row += work.rows) {
      work.rows = smaller(end - work.row, together);
      blocks::of[work.rows - 1](work);
    }
  }
}

/// How one product rounds its rows; its parts are of one format.
struct rows_layout {
  size_t groups = 0, block = 1, held = 1; // of a row, rows of a block, and rows that most_bytes hold
  size_t bytes = 0, scales = 0, below = 0, less = 0; // of a row

  static constexpr size_t most_bytes =
      rounded_rows::most_groups * (2 * rounded_rows::group_bytes + 4 * sizeof(float));

  template <class Arch, class dots>
  static rows_layout of(const product_args& args) {
    rows_layout made;
    with_format(args.parts[0].format, [&](auto layout) {
      if constexpr (dots::takes(layout.of)) {
        using dot = typename dots::template of<decltype(layout)>;
        using format = decltype(layout);
        made.groups = ceil_div(args.depth, layout.group);
        made.block = most_block_rows<Arch, dot, format>();
        const size_t room = limits_rows<dot, format> ? limited_row::groups_of(made.groups) : made.groups,
                     rows = larger(rounded_rows::most_groups / larger(room, 1), 1);
        made.bytes = room * group_bytes_of<dot>;
        made.scales = !format::scaled ? 0 : format::grouped ? made.groups : 1;
        made.below = made.scales * parts_of_group<format>;
        made.less = format::in_k_blocks ? made.scales : 0;
        made.held = rows < made.block ? rows : rows / made.block * made.block;
      }
    });
    return made;
  }
  size_t floats(size_t rows) const { return rows * (bytes / sizeof(float) + scales + below + less); }
  /// Rows in so many floats of memory.
  rounded_rows in(void* memory, size_t rows) const {
    rounded_rows made{.groups = groups, .bytes = static_cast<unsigned char*>(memory)};
    made.scales = reinterpret_cast<float*>(made.bytes + rows * bytes);
    made.less = made.scales + rows * scales;
    made.below = reinterpret_cast<std::int32_t*>(made.less + rows * less);
    return made;
  }
};

/// The tasks of a product: each is some panels, one behind the other through all parts, for one group of
/// rows. A row's numbers cost what three panels take to multiply them, so that few tasks make the same ones. Threads,
/// which take tasks a few at a time, have them made before.
struct rounded_grid {
  static constexpr size_t together = 6; // panels of a task
  size_t panels, group_rows, groups;
  size_t panel_tasks() const { return ceil_div(panels, together); }
};

template <class Arch, class dots>
inline rounded_grid rounded_tasks_of(const product_args& args) {
  rounded_grid grid{};
  for (size_t p = 0; p < args.part_count; ++p) grid.panels += ceil_div(args.parts[p].columns, panel<Arch>);
  if (args.rows == 0 || grid.panels == 0) return grid;
  const auto layout = rows_layout::of<Arch, dots>(args);
  const size_t wanted = ceil_div(16, grid.panel_tasks()); // for threads to end together
  const size_t of_tasks = ceil_div(ceil_div(args.rows, wanted), layout.block) * layout.block;
  grid.groups = ceil_div(args.rows, smaller(of_tasks, layout.held));
  grid.group_rows = ceil_div(args.rows, grid.groups);
  grid.groups = ceil_div(args.rows, grid.group_rows);
  return grid;
}

/// Rows [row, row + rows) of the left side, a block: row `at` and those behind it of the `held` that x holds.
template <class Arch, class dot, class layout>
inline void round_block(const product_args& args, size_t row, size_t rows, const rounded_rows& x, size_t held,
                        size_t at) {
  for (size_t r = 0; r < rows; ++r) {
    const rounded_row place{&x, at * x.groups + r, rows, at + r};
    const float* from = left_row(args, row + r);
    if constexpr (takes_two_rows<dot>)
      if (r < rows_in_twos<dot>(rows)) {
        round_row<Arch, layout>(from, args.depth, row_of_two{place, r % 2});
        continue;
      }
    if constexpr (takes_floats<dot>)
      round_row<Arch, layout>(from, args.depth, row_of_floats{place});
    else
      round_row<Arch, layout>(from, args.depth, place);
  }
  if constexpr (limits_rows<dot, layout>) limit_rows<typename dot::limited>(x, held, at, rows);
}

/// f(layout) where a product takes the format of its parts.
template <class dots, class F>
inline void with_taken_format(const product_args& args, const F& f) {
  with_format(args.parts[0].format, [&](auto layout) {
    if constexpr (dots::takes(layout.of)) f(layout);
  });
}

/// Tasks [first, last) of a product. `rounded(layout, row, rows)` makes the work of a group of rows, which are rounded then.
template <class Arch, class dots, class F>
inline void multiply_tasks(const product_args& args, size_t first, size_t last, const F& rounded) {
  const auto grid = rounded_tasks_of<Arch, dots>(args);
  // K blocks may be of several formats, which round rows alike.
  const auto multiply_panels = [](auto layout, const rounded_work& group, size_t from, size_t to) {
    const auto in = [&](auto own) {
      multiply_rounded_panels<Arch, typename dots::template of<decltype(own)>, decltype(own)>(group, from,
                                                                                              to);
    };
    if constexpr (layout.in_k_blocks)
      with_format(group.part->format, [&](auto own) {
        if constexpr (dots::takes(own.of)) in(own);
      });
    else
      in(layout);
  };
  if (first == last) return;
  with_taken_format<dots>(args, [&](auto layout) {
    while (first < last) {
      const size_t tasks = grid.panel_tasks(), group = first / tasks, row = group * grid.group_rows,
                   end = smaller(last, (group + 1) * tasks);
      rounded_work work = rounded(layout, row, smaller(grid.group_rows, args.rows - row));
      size_t from = (first - group * tasks) * grid.together,
             to = smaller((end - group * tasks) * grid.together, grid.panels);
      first = end;
      while (from < to) {
        const auto [part, begin, behind] = take_part<Arch>(args, from, to);
        work.part = part;
        multiply_panels(layout, work, begin, behind);
      }
    }
  });
}

} // namespace detail

template <class Arch, class dots>
size_t rounded_product_tasks(const product_args& args) {
  const auto grid = detail::rounded_tasks_of<Arch, dots>(args);
  return grid.groups * grid.panel_tasks();
}

/// `dots` says how formats that it takes are multiplied.
template <class Arch, class dots>
void rounded_product(const product_args& args, size_t first, size_t last) {
  using namespace detail;
  const auto all = rows_layout::of<Arch, dots>(args);
  alignas(64) unsigned char memory[rows_layout::most_bytes];
  multiply_tasks<Arch, dots>(args, first, last, [&](auto layout, size_t row, size_t rows) {
    using format = decltype(layout);
    using dot = typename dots::template of<format>;
    const rounded_rows x = all.in(memory, rows);
    const size_t together = block_rows_of<Arch, dot, format>(rows);
    for (size_t at = 0; at < rows; at += together)
      round_block<Arch, dot, format>(args, row + at, smaller(rows - at, together), x, rows, at);
    return rounded_work{.args = &args, .x = x, .held = rows, .first = row, .row = 0, .rows = rows};
  });
}

namespace detail {

/// The same in two passes: the blocks of all groups of rows are tasks of the first one.
template <class Arch, class dots>
struct product_in_passes {
  static bool are_faster(const product_args& args) { return args.threads > 1; }
  static size_t scratch(const product_args& args) {
    return are_faster(args) ? rows_layout::of<Arch, dots>(args).floats(args.rows) : 0;
  }
  static size_t blocks_of_group(const product_args& args, const rounded_grid& grid) {
    return ceil_div(grid.group_rows, rows_layout::of<Arch, dots>(args).block);
  }
  static size_t round_tasks(const product_args& args) {
    const auto grid = rounded_tasks_of<Arch, dots>(args);
    return grid.groups * blocks_of_group(args, grid);
  }
  static void round(const product_args& args, size_t first, size_t last, float* rounded) {
    const auto grid = rounded_tasks_of<Arch, dots>(args);
    const size_t blocks = blocks_of_group(args, grid);
    const rounded_rows x = rows_layout::of<Arch, dots>(args).in(rounded, args.rows);
    with_taken_format<dots>(args, [&](auto layout) {
      using format = decltype(layout);
      using dot = typename dots::template of<format>;
      for (; first < last; ++first) {
        const size_t row = first / blocks * grid.group_rows, rows = smaller(grid.group_rows, args.rows - row),
                     together = block_rows_of<Arch, dot, format>(rows), at = first % blocks * together;
        if (at < rows)
          round_block<Arch, dot, format>(args, row + at, smaller(rows - at, together), x, args.rows,
                                         row + at);
      }
    });
  }
  static void product(const product_args& args, size_t first, size_t last, float* rounded) {
    const rounded_rows x = rows_layout::of<Arch, dots>(args).in(rounded, args.rows);
    multiply_tasks<Arch, dots>(args, first, last, [&](auto, size_t row, size_t rows) {
      return rounded_work{.args = &args, .x = x, .held = args.rows, .first = 0, .row = row, .rows = rows};
    });
  }

  static constexpr rounding_passes kernels{.are_faster = are_faster,
                                           .scratch = scratch,
                                           .round_tasks = round_tasks,
                                           .round = round,
                                           .product_tasks = rounded_product_tasks<Arch, dots>,
                                           .product = product};
};

} // namespace detail

template <class Arch, class dots>
inline constexpr rounding_kernel rounded_product_of{.tasks = rounded_product_tasks<Arch, dots>,
                                                    .run = rounded_product<Arch, dots>,
                                                    .passes = &detail::product_in_passes<Arch, dots>::kernels,
                                                    .in_float32 = detail::takes_floats<dots>};

} // namespace fovea::core::simd
