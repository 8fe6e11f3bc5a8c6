#pragma once

// The matrix product by register blocks (Goto and van de Geijn 2008): a block of `rows` x (panels * panel)
// sums stays in registers while the depth runs; weights come in whole vectors from packed panels, the left
// operand by broadcasts straight from its rows. Every sum runs over the depth in order, in one chain, so that
// its bits depend on neither the blocks nor the split among threads.

#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/by_lane.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/few_columns.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/sizes.hpp>
#include <fovea/backends/simd/kernels/weight_panel.hpp>
#include <utility>

namespace fovea::core::simd {

namespace detail {

/// What a product multiplies: rows by weights in float32; by weights in formats too, which are decoded, or in
/// those of K blocks; or the windows of a convolution by weights in float32.
enum class product_of { rows, formats, k_formats, windows };

/// Whether such a product decodes weights.
constexpr bool decodes(product_of kind, weight_format format) {
  if (format == weight_format::f32 || rounds_rows(format)) return false;
  return kind == (is_k(format) ? product_of::k_formats : product_of::formats);
}

/// Rows of the largest register block: with two vectors of columns its sums leave room for the operands, and
/// no more rows than a first-level cache has ways, for rows a power of two apart share its sets.
template <class Arch>
inline constexpr size_t block_rows = width<Arch> == 16       ? Arch::cache_ways
                                     : Arch::registers >= 32 ? 8
                                                             : 6;

/// Panels that a block of `rows` takes side by side: a few rows alone are too few independent chains of
/// additions to hide their latency (longest where multiplication and addition are two instructions). But
/// weights of few bytes come from memory slower in two streams than in one, up to half as fast.
template <class Arch>
inline constexpr size_t block_panels(size_t rows) {
  if (width<Arch> == 4) return rows == 1 ? 4 : rows == 2 ? 2 : 1;
  return rows <= 3 ? 2 : 1;
}

/// Whether one row by weights that come from memory takes several panels at once. Two streams of a format come up to half as
/// fast as one. But sums of 8 floats of one panel wait for each other: by AVX2 two streams, fetched ahead, took
/// 0.73 to 0.86 of the time of one where a weight has eight bits or more.
template <class Arch, weight_format format>
inline constexpr bool in_streams = format == weight_format::f32 ||
                                   (width<Arch> == 8 && !panel_layout<format>::of_4_bits);

/// The most rows, columns and sums of a block of any set.
inline constexpr size_t most_rows = 12, most_columns = 64, most_block = 12 * 32;

/// Where a row of the left operand begins.
inline const float* left_row(const product_args& args, size_t row) {
  if (args.row_starts) return args.row_starts[row];
  return args.a + (args.ids ? static_cast<size_t>(args.ids[row]) : row) * args.a_stride;
}

/// Where `count` rows begin from `first` in the depth on: listed already, or now in `list`.
inline const float* const* left_rows(const product_args& args, size_t row, size_t count, size_t first,
                                     const float* (&list)[most_rows]) {
  if (args.row_starts && first == 0) return args.row_starts + row;
  for (size_t r = 0; r < count; ++r) {
    const float* at = left_row(args, row + r) + first;
    asm("" : "+r"(at)); // one by one: each is read soon, and what a vector has stored is waited for
    list[r] = at;
  }
  return list;
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

inline constexpr size_t many_threads = 3; // fewer end together with the tasks of one

/// Of how many of all rows groups make so many threads end first, where tasks are a group and a panel: what a thread takes
/// is whole groups, each block of which costs some rows more to begin. No more than `most`.
template <class Arch>
inline size_t rows_for_threads(size_t all, size_t panels, size_t threads, size_t most) {
  constexpr size_t block = block_rows<Arch>, begun = 3;
  size_t best = most, least = ~size_t{0};
  for (const size_t rows : {most, 4 * block, 3 * block, 2 * block, block, 2 * block / 3, block / 2}) {
    if (rows > most || rows == 0) continue;
    const size_t tasks = ceil_div(all, rows) * panels,
                 ends = ceil_div(tasks, threads) * (rows + begun * (ceil_div(rows, block) + 1));
    if (ends < least) best = rows, least = ends;
  }
  return best;
}

template <class Arch>
inline task_grid tasks_of(const product_args& args) {
  constexpr size_t block = block_rows<Arch>;
  size_t panels = 0, depth = 0, enough_tasks = 64;
  bool decodes = false; // each group of rows all panels
  for (size_t p = 0; p < args.part_count; ++p) {
    panels += ceil_div(args.parts[p].columns, panel<Arch>);
    depth = larger(depth, depth_of_pieces(args, args.parts[p]));
    decodes = decodes || decodes_first(args, args.parts[p]);
  }
  if (decodes) enough_tasks = 16;
  if (args.rows == 0 || panels == 0) return {panels, 0, 0};
  const size_t wanted = larger(ceil_div(args.rows * depth, most_cached), ceil_div(enough_tasks, panels));
  const size_t groups = smaller(wanted, larger(args.rows / (2 * block), 1));
  size_t group_rows = ceil_div(ceil_div(args.rows, groups), block) * block;
  if (args.threads >= many_threads && !decodes)
    group_rows = rows_for_threads<Arch>(args.rows, panels, args.threads, group_rows);
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
  const float* at = nullptr;
  size_t stride = 0;
};

/// Rows of a block of sums, and what they are multiplied by. `in` counts where rows are in pieces.
struct block_sums {
  const float* const* a; // of each row, where the piece of the depth begins
  in_pieces in;
  size_t depth;
  const unsigned char* weights;
  size_t panel_bytes;
  begun_sums begun;
  const float* bias;
  float* to;
  size_t to_stride;
  size_t columns; // that are written of few
  ahead next{nullptr, 0};
};

/// to[rows, vectors] = (row a[r] of `depth` floats for each r) * as many vectors of columns in panels of
/// `packed` + bias. A function of its own for each number of rows and vectors, with nothing in it but the sums:
/// what comes before and after is multiply_block's, once for all.
template <class Arch, size_t rows, size_t vectors, size_t packed, bool pieced, weight_format format>
[[gnu::noinline]] void multiply(const block_sums& block) {
  using layout = panel_layout<format>;
  constexpr bool grouped = layout::grouped;
  weight_reader<Arch, format, vectors, packed> read{block.weights, block.panel_bytes};
  // Of its own: for what is stored the compiler can't know that it is none of the block's.
  const begun_sums begun = block.begun;
  const float* bias = block.bias;
  float* to = block.to;
  const size_t depth = block.depth, to_stride = block.to_stride;
  const float* a[rows];
  for_constants<rows>([&](auto r) { a[r] = block.a[r]; });
  ahead next = block.next;
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
    const size_t end = pieced ? k + block.in.piece : grouped ? smaller(k + layout::together, depth) : depth;
    read.begin_group(k);
    if constexpr (multiplies_by_lane<Arch> && rows > 1 && rows >= vectors && format == weight_format::f32)
      for (; k + width<Arch> <= end; k += width<Arch>) {
        vec<Arch> x[rows];
        for_constants<rows>([&](auto r) { x[r] = Arch::load(a[r] + k); });
        for_constants<width<Arch>>([&](auto lane) {
          if constexpr (vectors <= 2 && lane % 2 == 0) {
            __builtin_prefetch(next.at, 0, 2);
            next.at += 2 * next.step; // at most a line
          }
          vec<Arch> weight[vectors];
          for_constants<vectors>([&](auto v) { weight[v] = read.at(k + lane, v); });
          for_constants<rows * vectors>([&](auto i) {
            vec<Arch>& added = sum[i / vectors][i % vectors];
            added = Arch::template fma_lane<lane>(weight[i % vectors], x[i / vectors], added);
          });
        });
      }
    for (; k < end; ++k) {
      if constexpr (rows == 1 && vectors > 2 && format != weight_format::f32 && in_streams<Arch, format>) {
        constexpr size_t bytes = layout::row_bytes(packed);
        for_constants<vectors * width<Arch> / packed>([&](auto stream) {
          __builtin_prefetch(block.weights + stream * block.panel_bytes + k * bytes + weights_ahead);
        });
      }
      if constexpr (rows > 1 && vectors <= 2) {
        if constexpr (Arch::cache_ways < 12) {
          __builtin_prefetch(next.at, 0, 2);
          next.at += next.step;
        } else {
          constexpr size_t bytes = layout::row_bytes(packed), steps = 16;
          for (size_t line = 0; line < bytes; line += 64)
            __builtin_prefetch(block.weights + (k + steps) * bytes + line);
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
      for_constants<rows>([&](auto r) { a[r] += block.in.shifts[r]; });
  } while ((pieced || grouped) && k < depth);
  vec<Arch> b[vectors];
  for_constants<vectors>([&](auto v) { b[v] = bias ? Arch::load(bias + v * width<Arch>) : vec<Arch>(0.f); });
  for_constants<rows>([&](auto r) {
    for_constants<vectors>([&](auto v) { Arch::store(to + v * width<Arch>, sum[r][v] + b[v]); });
    to += to_stride;
  });
}

/// The first columns of vectors that lie behind each other, to rows. A function of its own, for its loops.
template <class Arch>
[[gnu::noinline]] void store_few(const float* vectors, float* to, size_t to_stride, size_t rows,
                                 size_t columns) {
  for (; rows > 0; --rows, vectors += width<Arch>, to += to_stride)
    Arch::store_first(to, Arch::load(vectors), columns);
}

/// The same of a panel with few columns.
template <class Arch, size_t rows, size_t packed, bool pieced>
[[gnu::noinline]] void multiply_few(const block_sums& block) {
  const auto* weights = reinterpret_cast<const float*>(block.weights);
  const begun_sums begun = block.begun;
  const in_pieces in = block.in;
  const size_t depth = block.depth;
  const float* a[rows];
  for_constants<rows>([&](auto r) { a[r] = block.a[r]; });
  vec<Arch> sum[rows];
  for_constants<rows>([&](auto r) {
    sum[r] = begun.at ? Arch::load_first(begun.at + r * begun.stride, few_columns) : vec<Arch>(0.f);
  });
  for (size_t k = 0; k < depth;) {
    const size_t end = pieced ? k + in.piece : depth;
    add_few<Arch, rows, packed>(a, k, end, weights, sum);
    k = end;
    if constexpr (pieced) for_constants<rows>([&](auto r) { a[r] += in.shifts[r]; });
  }
  const vec<Arch> b = block.bias ? Arch::load(block.bias) : vec<Arch>(0.f);
  alignas(64) float all[rows * width<Arch>];
  for_constants<rows>([&](auto r) { Arch::store(all + r * width<Arch>, sum_of_fours<Arch>(sum[r]) + b); });
  store_few<Arch>(all, block.to, block.to_stride, rows, block.columns);
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

using multiply_function = void (*)(const block_sums&);
using finish_function = void (*)(const product_part&, size_t rows, size_t row, size_t column, size_t columns,
                                 float* tile, size_t stride);

/// Of each number of rows, what multiplies them by several panels side by side, by one, by its first vector, by
/// one of the narrower set, or by few columns.
template <class Arch, product_of kind, bool pieced, weight_format format, class Index>
struct multiply_functions;

template <class Arch, product_of kind, bool pieced, weight_format format, size_t... index>
struct multiply_functions<Arch, kind, pieced, format, std::index_sequence<index...>> {
  template <class A, size_t rows, size_t vectors>
  static constexpr multiply_function function = multiply<A, rows, vectors, panel<Arch>, pieced, format>;
  static constexpr multiply_function several[] = {
      function<Arch, index + 1, 2 * block_panels<Arch>(index + 1)>...};
  static constexpr multiply_function whole[] = {function<Arch, index + 1, 2>...};
  static constexpr multiply_function vector[] = {function<Arch, index + 1, 1>...};
  static constexpr multiply_function narrow[] = {function<narrower<Arch>, index + 1, 1>...};
  static constexpr multiply_function few[] = {multiply_few<Arch, index + 1, panel<Arch>, pieced>...};
};

/// A function of its own, as finish_block is.
[[gnu::noinline]] inline void copy_rows(const float* from, size_t from_stride, float* to, size_t to_stride,
                                        size_t rows, size_t columns) {
  for (size_t r = 0; r < rows; ++r)
    std::memcpy(to + r * to_stride, from + r * from_stride, columns * sizeof(float));
}

template <bool written>
inline void fetch_rows(const float* x, size_t stride, size_t rows, size_t columns) {
  for (; rows > 0; --rows, x += stride)
    for (size_t j = 0; j < columns; j += 16) __builtin_prefetch(x + j, written);
}

template <class Arch>
inline void relu_rows(float* x, size_t stride, size_t rows, size_t columns) {
  for (; rows > 0; --rows, x += stride)
    for_vectors<Arch>(columns,
                      [&](size_t j, auto lanes) { lanes.store(x + j, math::relu<Arch>(lanes.load(x + j))); });
}

/// The bias of `columns` columns of a block, in `padded` where they do not fill it; null where there is none.
template <class Arch>
inline const float* bias_of(const product_part& part, size_t column, size_t columns, size_t block,
                            float (&padded)[most_columns]) {
  if (!part.bias || columns == block) return part.bias ? part.bias + column : nullptr;
  for (size_t j = 0; j < block; j += width<Arch>)
    Arch::store(padded + j, j < columns
                                ? Arch::load_first(part.bias + column + j, smaller(columns - j, width<Arch>))
                                : vec<Arch>(0.f));
  return padded;
}

/// A block of `block` columns from panel `at` on. Of `sums` what all panels share is there already.
template <class Arch, bool few = false>
inline void multiply_block(const block_work& work, size_t at, size_t block, multiply_function multiplied,
                           finish_function finish, block_sums& sums) {
  const product_args& args = *work.args;
  const product_part& part = *work.part;
  const size_t column = at * panel<Arch>, columns = smaller(part.columns - column, block);
  const auto [first, last] = work.depth;
  const bool ends = last == args.depth;
  alignas(64) float tile[most_block], padded_bias[most_columns];
  const bool relu = ends && part.act == op::relu;
  const bool in_place =
      (columns == block || few) && (!ends || ((part.act == op::none || relu) && part.join == op::none));
  sums.bias = ends ? bias_of<Arch>(part, column, columns, block, padded_bias) : nullptr;
  float* out = part.out + work.row * part.out_stride + column;
  // What is written, and joined, has often left the caches: it is fetched while the sums are computed.
  const float* other = ends && part.other ? part.other + work.row * part.other_stride + column : nullptr;
  fetch_rows<true>(out, part.out_stride, work.rows, columns);
  if (other) fetch_rows<false>(other, part.other_stride, work.rows, columns);
  sums.to = in_place ? out : tile;
  sums.to_stride = in_place ? part.out_stride : block;
  sums.columns = in_place ? columns : block;
  sums.begun = {first == 0 ? nullptr : out, part.out_stride};
  if (sums.begun.at && columns < block) {
    copy_rows(out, part.out_stride, tile, block, work.rows, columns);
    sums.begun = {tile, block};
  }
  const size_t before = (at - work.first) * work.panel_bytes;
  sums.weights = work.weights + before;
  sums.next = {work.next.at + before, work.next.step};
  multiplied(sums);
  if (in_place && relu) relu_rows<Arch>(out, part.out_stride, work.rows, columns);
  if (in_place) return;
  if (!ends) return copy_rows(tile, block, out, part.out_stride, work.rows, columns);
  finish(part, work.rows, work.row, column, columns, tile, block);
}

/// Whether a panel has few columns. Of a convolution alone: products of weights in other formats sum in the
/// order of all columns.
template <class Arch, product_of kind>
inline bool has_few(const block_work& work, size_t at) {
  return kind == product_of::windows && width<Arch> > few_columns &&
         work.part->columns - at * panel<Arch> <= few_columns;
}

/// The work in register blocks, of which each takes rows from it.
template <class Arch, product_of kind, bool pieced, weight_format format>
void multiply_panels(block_work& work) {
  using functions =
      multiply_functions<Arch, kind, pieced, format, std::make_index_sequence<block_rows<Arch>>>;
  constexpr size_t most = block_rows<Arch>;
  static_assert(most <= most_rows && most * panel<Arch> <= most_block);
  const product_args& args = *work.args;
  const float* starts[most_rows];
  block_sums sums;
  sums.depth = work.depth.last - work.depth.first;
  sums.panel_bytes = work.panel_bytes;
  // A panel of few columns is one of few whether those before it are in the same task or not.
  const size_t last = work.last - (work.first < work.last && has_few<Arch, kind>(work, work.last - 1));
  for (size_t rows = work.rows; rows > 0; rows -= work.rows) {
    work.rows = next_block(rows, most);
    const size_t by_rows = work.rows - 1;
    sums.a = left_rows(args, work.row, work.rows, work.depth.first, starts);
    sums.in = {args.piece, args.row_shifts + work.row};
    const bool one_stream = work.rows == 1 && args.from_memory && !in_streams<Arch, format>;
    const size_t together = one_stream ? 1 : block_panels<Arch>(work.rows);
    size_t step = 1;
    for (size_t at = work.first; at < work.last; at += step) {
      multiply_function multiplied = functions::whole[by_rows];
      finish_function finish = finish_block<Arch>;
      size_t columns = panel<Arch>;
      step = 1;
      if (together > 1 && at + together <= last) {
        multiplied = functions::several[by_rows], step = together, columns *= together;
      } else if constexpr (format == weight_format::f32) {
        // The last panel may be empty but for its first vector, or for a narrower one, or for less.
        const size_t left = work.part->columns - at * panel<Arch>;
        if (has_few<Arch, kind>(work, at)) {
          if constexpr (kind == product_of::windows)
            multiply_block<Arch, true>(work, at, width<Arch>, functions::few[by_rows], finish, sums);
          continue;
        }
        if (left <= width<narrower<Arch>> && width<narrower<Arch>> < width<Arch>) {
          multiplied = functions::narrow[by_rows], columns = width<narrower<Arch>>;
          finish = finish_block<narrower<Arch>>;
        } else if (left <= width<Arch>) {
          multiplied = functions::vector[by_rows], columns = width<Arch>;
        }
      }
      multiply_block<Arch>(work, at, columns, multiplied, finish, sums);
    }
    work.row += work.rows;
    work.next.at += work.next.step * sums.depth;
  }
}

/// The same of weights in their format.
template <class Arch, product_of kind>
inline void multiply_blocks(block_work& work) {
  if constexpr (kind == product_of::windows)
    if (work.args->row_shifts) return multiply_panels<Arch, kind, true, weight_format::f32>(work);
  if constexpr (kind == product_of::rows || kind == product_of::windows)
    multiply_panels<Arch, kind, false, weight_format::f32>(work);
  else
    with_format(work.format, [&](auto layout) {
      if constexpr (layout.of == weight_format::f32 || decodes(kind, layout.of))
        multiply_panels<Arch, kind, false, layout.of>(work);
    });
}

/// The same of one panel, made float32 first: [depth, panel].
template <class Arch, product_of kind>
[[gnu::noinline]] void multiply_decoded(block_work work) {
  alignas(64) float decoded[piece_depth * panel<Arch>];
  float* to = decoded;
  with_format(work.format, [&](auto layout) {
    if constexpr (decodes(kind, layout.of)) {
      weight_reader<Arch, layout.of, 2, panel<Arch>> read{work.weights, 0};
      for (size_t k = work.depth.first; k < work.depth.last;) {
        read.begin_group(k);
        for (const size_t end = smaller(k + layout.together, work.depth.last); k < end;
             ++k, to += panel<Arch>)
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
  const bool decoded = decodes_first(args, part);
  const size_t bytes = panel_bytes(part.format, panel<Arch>, args.depth),
               of_each = bytes / larger(args.depth, 1);
  const size_t step = decoded ? 1 : rows <= most && !args.backward ? last - first : 2;
  const size_t steps = ceil_div(last - first, step);
  for (size_t i = 0; i < steps; ++i) {
    const size_t at = first + (args.backward ? steps - 1 - i : i) * step;
    const auto* panels = static_cast<const unsigned char*>(part.panels) + at * bytes;
    const auto* piece = panels + depth.first * of_each;
    block_work work{
        &args,
        &part,
        decoded ? panels : piece,
        bytes,
        part.format,
        row,
        rows,
        at,
        smaller(at + step, last),
        depth,
        {args.backward ? piece - step * bytes : piece + step * bytes, of_each / ceil_div(rows, most)}};
    if constexpr (kind == product_of::formats || kind == product_of::k_formats)
      if (decoded) {
        multiply_decoded<Arch, kind>(work);
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

template <class Arch, detail::product_of kind>
void product(const product_args& args, size_t first, size_t last) {
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
