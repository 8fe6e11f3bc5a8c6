#pragma once

// The matrix product by register blocks (Goto and van de Geijn 2008): a block of `rows` x (panels * panel)
// sums stays in registers while the depth runs; weights come in whole vectors from packed panels, the left
// operand by broadcasts straight from its rows. Every sum runs over the depth in order, in one chain, so that
// its bits depend on neither the blocks nor the split among threads.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/few_columns.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/backends/simd/kernels/weight_panel.hpp>
#include <utility>

namespace fovea::core::simd {

namespace detail {

/// What a product multiplies: rows by weights in float32; by weights in formats too, which are decoded; or the
/// windows of a convolution by weights in float32.
enum class product_of { rows, formats, windows };

/// Rows of the largest register block: with two vectors of columns its sums leave room for the operands, and
/// no more rows than a first-level cache has ways, for rows a power of two apart share its sets.
template <class Arch>
inline constexpr size_t block_rows = width<Arch> == 16 ? Arch::cache_ways : 6;

/// Panels that a block of `rows` takes side by side: a few rows alone are too few independent chains of
/// additions to hide their latency (longest where multiplication and addition are two instructions). But
/// weights of few bytes come from memory slower in two streams than in one, up to half as fast.
template <class Arch>
inline constexpr size_t block_panels(size_t rows) {
  if (width<Arch> == 4) return rows == 1 ? 4 : rows == 2 ? 2 : 1;
  return rows <= 3 ? 2 : 1;
}

/// Where a row of the left operand begins.
inline const float* left_row(const product_args& args, size_t row) {
  if (args.row_starts) return args.row_starts[row];
  return args.a + (args.ids ? static_cast<size_t>(args.ids[row]) : row) * args.a_stride;
}

/// Floats of a left operand that stay in the second-level cache.
inline constexpr size_t most_cached = 64 * 1024;

/// How deep a piece is, where the depth is taken in pieces: the sums wait in the output and go on bit for
/// bit.
inline constexpr size_t piece_depth = 512;

/// Whether sums may wait in a part's output: what is joined does not lie there.
inline bool sums_may_wait(const product_args& args, const product_part& part) {
  return args.row_shifts == nullptr && (part.join == op::none || part.other != part.out);
}

/// Whether weights of another format are made float32, a piece of a panel at a time: for many rows, so that
/// not each block of them decodes anew.
inline bool decodes_first(const product_args& args, const product_part& part) {
  return part.format != weight_format::f32 && args.rows >= 32 && sums_may_wait(args, part);
}

/// The depth of a part's pieces. Of a deep left operand so few rows fit the cache that weights were read
/// again for each few.
inline size_t depth_of_pieces(const product_args& args, const product_part& part) {
  const bool deep = part.format == weight_format::f32 && args.depth > 3 * piece_depth &&
                    args.rows * args.depth > most_cached && sums_may_wait(args, part);
  return deep || decodes_first(args, part) ? smaller(args.depth, piece_depth) : args.depth;
}

/// The tasks of a product: each is one panel of one part for one group of rows. Groups come one after
/// another, and in each the panels of all parts.
struct task_grid {
  size_t panels, group_rows, groups;
};

template <class Arch>
inline task_grid tasks_of(const product_args& args) {
  constexpr size_t block = block_rows<Arch>;
  size_t panels = 0, depth = 0, enough_tasks = 64; // for the threads of a large machine to end together
  for (size_t p = 0; p < args.part_count; ++p) {
    panels += ceil_div(args.parts[p].columns, panel<Arch>);
    depth = larger(depth, depth_of_pieces(args, args.parts[p]));
    if (decodes_first(args, args.parts[p])) enough_tasks = 16; // each group of rows decodes all panels
  }
  if (args.rows == 0 || panels == 0) return {panels, 0, 0};
  const size_t wanted = larger(ceil_div(args.rows * depth, most_cached), ceil_div(enough_tasks, panels));
  const size_t groups = smaller(wanted, larger(args.rows / (2 * block), 1));
  const size_t group_rows = ceil_div(ceil_div(args.rows, groups), block) * block;
  return {panels, group_rows, ceil_div(args.rows, group_rows)};
}

/// Some panels of one part.
struct part_panels {
  const product_part* part;
  size_t first, last;
};

/// Takes from [first, last), panels counted through all parts, those of one part that are read first.
template <class Arch>
inline part_panels take_part(const product_args& args, size_t& first, size_t& last) {
  size_t at = args.backward ? last - 1 : first;
  const product_part* part = args.parts;
  for (; at >= ceil_div(part->columns, panel<Arch>); ++part) at -= ceil_div(part->columns, panel<Arch>);
  const size_t of_part = args.backward ? at + 1 : ceil_div(part->columns, panel<Arch>) - at;
  const size_t count = smaller(of_part, last - first);
  if (args.backward) {
    last -= count;
    return {part, at + 1 - count, at + 1};
  }
  first += count;
  return {part, at, at + count};
}

/// Weights to fetch for later, `step` bytes with each step of the depth. Of the passes of row blocks over a
/// panel the first waits for memory and the others do not: each fetches its share of the panels behind, so
/// that memory and arithmetic are both busy throughout. Processors whose first-level cache has twelve ways
/// (Intel's) wait for the second-level cache rather: there a pass fetches its own panel, some steps ahead.
struct ahead {
  const unsigned char* at;
  size_t step;
  ahead(const void* from, size_t bytes) : at(static_cast<const unsigned char*>(from)), step(bytes) {}
};

/// Where rows lie in pieces: their length, and what each row skips after one.
struct in_pieces {
  size_t piece;
  const std::ptrdiff_t* shifts;
};

/// Sums to go on from, or null: a block of rows `stride` apart.
struct begun_sums {
  const float* at;
  size_t stride;
};

/// to[rows, vectors] = (row a[r] of `depth` floats for each r) * as many vectors of columns in panels of
/// `packed` + bias. `pieced`: whether rows are in pieces, else `in` does not count.
template <class Arch, size_t rows, size_t vectors, size_t packed, bool pieced, weight_format format>
inline void multiply(const float* (&a)[rows], in_pieces in, size_t depth, const unsigned char* weights,
                     size_t panel_bytes, begun_sums begun, const float* bias, float* to, size_t to_stride,
                     ahead next) {
  using layout = panel_layout<format>;
  constexpr bool grouped = layout::grouped;
  weight_reader<Arch, format, vectors, packed> read{weights, panel_bytes};
  vec<Arch> sum[rows][vectors];
  for_constants<rows * vectors>([&](auto i) { sum[i / vectors][i % vectors] = vec<Arch>(0.f); });
  if constexpr (!pieced && format == weight_format::f32)
    if (begun.at)
      for_constants<rows * vectors>([&](auto i) {
        sum[i / vectors][i % vectors] =
            Arch::load(begun.at + i / vectors * begun.stride + i % vectors * width<Arch>);
      });
  size_t k = 0;
  do {
    const size_t end = pieced ? k + in.piece : grouped ? smaller(k + weight_group, depth) : depth;
    read.begin_group(k);
    for (; k < end; ++k) {
      if constexpr (rows > 1 && vectors <= 2) {
        if constexpr (Arch::cache_ways < 12) {
          __builtin_prefetch(next.at, 0, 2);
          next.at += next.step;
        } else {
          constexpr size_t bytes = layout::row_bytes(packed), steps = 16;
          for (size_t line = 0; line < bytes; line += 64)
            __builtin_prefetch(weights + (k + steps) * bytes + line);
        }
      }
      // The operand with fewer vectors waits in registers while the other passes.
      if constexpr (rows < vectors) {
        vec<Arch> x[rows];
        for_constants<rows>([&](auto r) { x[r] = vec<Arch>(a[r][k]); });
        for_constants<vectors>([&](auto v) {
          const vec<Arch> weight = rows == 1 ? read.at(k, v) : Arch::in_register(read.at(k, v));
          for_constants<rows>([&](auto r) { sum[r][v] = Arch::fma(x[r], weight, sum[r][v]); });
        });
      } else {
        vec<Arch> weight[vectors];
        for_constants<vectors>([&](auto v) { weight[v] = Arch::in_register(read.at(k, v)); });
        for_constants<rows>([&](auto r) {
          const vec<Arch> x(a[r][k]);
          for_constants<vectors>([&](auto v) { sum[r][v] = Arch::fma(x, weight[v], sum[r][v]); });
        });
      }
    }
    if constexpr (pieced) // what was read so far stays behind, for k counts on
      for_constants<rows>([&](auto r) { a[r] += in.shifts[r]; });
  } while ((pieced || grouped) && k < depth);
  for_constants<vectors>([&](auto v) {
    const vec<Arch> b = bias ? Arch::load(bias + v * width<Arch>) : vec<Arch>(0.f);
    for_constants<rows>([&](auto r) { Arch::store(to + r * to_stride + v * width<Arch>, sum[r][v] + b); });
  });
}

/// The same of a panel with few columns.
template <class Arch, size_t rows, size_t packed, bool pieced>
inline void multiply_few(const float* (&a)[rows], in_pieces in, size_t depth, const unsigned char* weights,
                         begun_sums begun, const float* bias, float* to, size_t to_stride) {
  const auto* panel_weights = reinterpret_cast<const float*>(weights);
  vec<Arch> sum[rows];
  for_constants<rows>([&](auto r) {
    sum[r] = begun.at ? Arch::load_first(begun.at + r * begun.stride, few_columns) : vec<Arch>(0.f);
  });
  for (size_t k = 0; k < depth;) {
    const size_t end = pieced ? k + in.piece : depth;
    add_few<Arch, rows, packed>(a, k, end, panel_weights, sum);
    k = end;
    if constexpr (pieced) for_constants<rows>([&](auto r) { a[r] += in.shifts[r]; });
  }
  const vec<Arch> b = bias ? Arch::load(bias) : vec<Arch>(0.f);
  for_constants<rows>([&](auto r) { Arch::store(to + r * to_stride, sum_of_fours<Arch>(sum[r]) + b); });
}

/// A piece of the depth.
struct depth_piece {
  size_t first, last;
};

/// Panels [first, last) of a part, weights in `format` that lie panel_bytes apart, for `rows` rows from `row` on.
struct block_work {
  const product_args* args;
  const product_part* part;
  const unsigned char* weights;
  size_t panel_bytes;
  weight_format format;
  size_t row, rows, first, last;
  depth_piece depth;
  ahead next;
};

/// A function of its own, as finish_block is.
[[gnu::noinline]] inline void copy_rows(const float* from, size_t from_stride, float* to, size_t to_stride,
                                        size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; ++r)
    std::memcpy(to + r * to_stride, from + r * from_stride, columns * sizeof(float));
}

template <class Arch, size_t rows, size_t vectors, bool pieced, weight_format format,
          size_t packed = panel<Arch>, bool few = false>
inline void multiply_block(const block_work& work, size_t at) {
  const product_args& args = *work.args;
  const product_part& part = *work.part;
  constexpr size_t block = vectors * width<Arch>;
  const size_t column = at * packed;
  const size_t columns = smaller(part.columns - column, block);
  const auto [first, last] = work.depth;
  const bool ends = last == args.depth;
  alignas(64) float tile[rows * block], padded_bias[block];
  const bool relu = ends && part.act == op::relu;
  const bool in_place =
      columns == block && (!ends || ((part.act == op::none || relu) && part.join == op::none));
  const float* bias = ends && part.bias ? part.bias + column : nullptr;
  if (bias && columns < block) {
    for (size_t j = 0; j < block; ++j) padded_bias[j] = j < columns ? bias[j] : 0.f;
    bias = padded_bias;
  }
  float* out = part.out + work.row * part.out_stride + column;
  // What is written, and joined, has often left the caches: it is fetched while the sums are computed.
  const float* other = ends && part.other ? part.other + work.row * part.other_stride + column : nullptr;
  for (size_t r = 0; r < rows; ++r)
    for (size_t j = 0; j < columns; j += 16) {
      __builtin_prefetch(out + r * part.out_stride + j, 1);
      if (other) __builtin_prefetch(other + r * part.other_stride + j);
    }
  float* to = in_place ? out : tile;
  const size_t to_stride = in_place ? part.out_stride : block;
  begun_sums begun{first == 0 ? nullptr : out, part.out_stride};
  if (begun.at && columns < block) {
    copy_rows(out, part.out_stride, tile, block, rows, columns);
    begun = {tile, block};
  }
  const float* a[rows];
  for (size_t r = 0; r < rows; ++r) a[r] = left_row(args, work.row + r) + first;
  const size_t before = (at - work.first) * work.panel_bytes;
  const ahead next{work.next.at + before, work.next.step};
  const in_pieces in{args.piece, args.row_shifts + work.row};
  if constexpr (few)
    multiply_few<Arch, rows, packed, pieced>(a, in, last - first, work.weights + before, begun, bias, to,
                                             to_stride);
  else
    multiply<Arch, rows, vectors, packed, pieced, format>(a, in, last - first, work.weights + before,
                                                          work.panel_bytes, begun, bias, to, to_stride, next);
  if (in_place && relu)
    for_constants<rows * vectors>([&](auto i) {
      float* sums = out + i / vectors * part.out_stride + i % vectors * width<Arch>;
      Arch::store(sums, math::relu<Arch>(Arch::load(sums)));
    });
  if (in_place) return;
  if (!ends) return copy_rows(tile, block, out, part.out_stride, rows, columns);
  finish_block<Arch, block>(part, work.rows, work.row, column, columns, tile);
}

/// Whether a panel has few columns. Of a convolution alone: products of weights in other formats sum in the
/// order of all columns.
template <class Arch, product_of kind>
inline bool has_few(const block_work& work, size_t at) {
  return kind == product_of::windows && width<Arch> > few_columns &&
         work.part->columns - at * panel<Arch> <= few_columns;
}

template <class Arch, product_of kind, size_t rows, bool pieced, weight_format format>
void multiply_panels(const block_work& work) {
  constexpr size_t together = block_panels<Arch>(rows);
  size_t at = work.first;
  const bool one_stream = rows == 1 && format != weight_format::f32 && work.args->from_memory;
  if constexpr (together > 1) {
    // A panel of few columns is one of few whether those before it are in the same task or not.
    const size_t last = work.last - (work.first < work.last && has_few<Arch, kind>(work, work.last - 1));
    for (; at + together <= last && !one_stream; at += together)
      multiply_block<Arch, rows, 2 * together, pieced, format>(work, at);
  }
  for (; at < work.last; ++at) {
    if constexpr (format != weight_format::f32) {
      multiply_block<Arch, rows, 2, pieced, format>(work, at);
    } else { // the last panel may be empty but for its first vector, or for a narrower one, or for less
      using narrow = narrower<Arch>;
      const size_t left = work.part->columns - at * panel<Arch>;
      if (has_few<Arch, kind>(work, at)) {
        if constexpr (kind == product_of::windows)
          multiply_block<Arch, rows, 1, pieced, format, panel<Arch>, true>(work, at);
      } else if (left > width<Arch>)
        multiply_block<Arch, rows, 2, pieced, format>(work, at);
      else if (left > width<narrow> || width<narrow> == width<Arch>)
        multiply_block<Arch, rows, 1, pieced, format>(work, at);
      else
        multiply_block<narrow, rows, 1, pieced, format, panel<Arch>>(work, at);
    }
  }
}

template <class Arch, product_of kind, class Index>
struct kernels_by_rows;

template <class Arch, product_of kind, size_t... index>
struct kernels_by_rows<Arch, kind, std::index_sequence<index...>> {
  template <bool pieced, weight_format format>
  static constexpr void (*of[])(const block_work&) = {
      multiply_panels<Arch, kind, index + 1, pieced, format>...};
};

template <class Arch, product_of kind>
inline void multiply_rows(const block_work& work) {
  using all = kernels_by_rows<Arch, kind, std::make_index_sequence<block_rows<Arch>>>;
  if constexpr (kind == product_of::windows)
    if (work.args->row_shifts) return all::template of<true, weight_format::f32>[work.rows - 1](work);
  if constexpr (kind != product_of::formats)
    all::template of<false, weight_format::f32>[work.rows - 1](work);
  else
    with_format(work.format, [&](auto layout) {
      if constexpr (!layout.rounded_rows) all::template of<false, layout.of>[work.rows - 1](work);
    });
}

/// The work in register blocks.
template <class Arch, product_of kind>
inline void multiply_blocks(block_work work) {
  constexpr size_t most = block_rows<Arch>;
  for (size_t rows = work.rows; rows > 0;) {
    const size_t block = rows <= most       ? rows
                         : rows == most + 1 ? ceil_div(rows, 2)
                                            : most; // never one row alone
    work.rows = block;
    multiply_rows<Arch, kind>(work);
    work.row += block, rows -= block;
    work.next.at += work.next.step * (work.depth.last - work.depth.first);
  }
}

/// The same of one panel, made float32 first: [depth, panel].
template <class Arch>
[[gnu::noinline]] void multiply_decoded(block_work work) {
  alignas(64) float decoded[piece_depth * panel<Arch>];
  float* to = decoded;
  with_format(work.format, [&](auto layout) {
    if constexpr (!layout.rounded_rows) {
      weight_reader<Arch, layout.of, 2, panel<Arch>> read{work.weights, 0};
      for (size_t k = work.depth.first; k < work.depth.last;) {
        read.begin_group(k);
        for (const size_t end = smaller(k + weight_group, work.depth.last); k < end; ++k, to += panel<Arch>)
          for_constants<2>([&](auto v) { Arch::store(to + v * width<Arch>, read.at(k, v)); });
      }
    }
  });
  work.weights = reinterpret_cast<const unsigned char*>(decoded), work.format = weight_format::f32;
  multiply_blocks<Arch, product_of::rows>(work);
}

/// Panels [first, last) of a part for `rows` rows from `row` on over a piece of the depth. Panels go two by
/// two, for a block of few rows takes two at once.
template <class Arch, product_of kind>
inline void multiply_piece(const product_args& args, const product_part& part, size_t row, size_t rows,
                           size_t first, size_t last, depth_piece depth) {
  constexpr size_t most = block_rows<Arch>;
  const bool decodes = decodes_first(args, part);
  const size_t bytes = panel_bytes(part.format, panel<Arch>, args.depth),
               of_each = bytes / larger(args.depth, 1);
  const size_t step = decodes ? 1 : rows <= most && !args.backward ? last - first : 2;
  const size_t steps = ceil_div(last - first, step);
  for (size_t i = 0; i < steps; ++i) {
    const size_t at = first + (args.backward ? steps - 1 - i : i) * step;
    const auto* panels = static_cast<const unsigned char*>(part.panels) + at * bytes;
    const auto* piece = panels + depth.first * of_each;
    const block_work work{
        &args,
        &part,
        decodes ? panels : piece,
        bytes,
        part.format,
        row,
        rows,
        at,
        smaller(at + step, last),
        depth,
        {args.backward ? piece - step * bytes : piece + step * bytes, of_each / ceil_div(rows, most)}};
    if constexpr (kind == product_of::formats)
      if (decodes) {
        multiply_decoded<Arch>(work);
        continue;
      }
    multiply_blocks<Arch, kind>(work);
  }
}

/// The same over the whole depth.
template <class Arch, product_of kind>
inline void multiply_group(const product_args& args, const product_part& part, size_t row, size_t rows,
                           size_t first, size_t last) {
  const size_t piece = depth_of_pieces(args, part);
  size_t k = 0;
  do {
    const size_t end = smaller(k + piece, args.depth);
    multiply_piece<Arch, kind>(args, part, row, rows, first, last, {k, end});
    k = end;
  } while (k < args.depth);
}

} // namespace detail

template <class Arch>
size_t product_tasks(const product_args& args) {
  const auto grid = detail::tasks_of<Arch>(args);
  return grid.groups * grid.panels;
}

/// With `formats`, of weights in formats too.
template <class Arch, bool formats>
void product(const product_args& args, size_t first, size_t last) {
  constexpr auto kind = formats ? detail::product_of::formats : detail::product_of::rows;
  const auto grid = detail::tasks_of<Arch>(args);
  while (first < last) {
    const size_t group = first / grid.panels, row = group * grid.group_rows;
    const size_t rows = detail::smaller(grid.group_rows, args.rows - row);
    size_t from = first - group * grid.panels, to = detail::smaller(from + last - first, grid.panels);
    first += to - from;
    while (from < to) {
      const auto [part, begin, end] = detail::take_part<Arch>(args, from, to);
      detail::multiply_group<Arch, kind>(args, *part, row, rows, begin, end);
    }
  }
}

} // namespace fovea::core::simd
