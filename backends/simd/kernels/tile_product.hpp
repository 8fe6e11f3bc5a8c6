#pragma once

// The product of rounded_product.hpp for many rows, by the processor's tiles (AMX): registers of 16 rows of
// 64 bytes, and an instruction that adds to 16 x 16 sums the dot products of 16 rows and 16 columns, 64 bytes
// deep. Rows are rounded first, once for all columns; weights lie in panels as they do for that product, four
// bytes of each column side by side, which is how tiles hold the right side.
//
// Integers are summed exactly, so that such products have the bits of the other kernel.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fovea/backends/simd/arch.hpp>
#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/lanes.hpp>
#include <fovea/backends/simd/kernels/panel.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/rounded_rows.hpp>
#include <fovea/backends/simd/kernels/weight_panel.hpp>
#include <fovea/backends/simd/sets/avx512_bf16.hpp>
#include <immintrin.h>

namespace fovea::core::simd {

namespace detail {

/// Rows and columns of a tile of sums.
inline constexpr size_t tile_rows = 16;

/// How a format's products use tiles: what shares a scale is one instruction deep, and else all that fits.
template <class layout>
struct tile_layout {
  static constexpr size_t group_bytes = layout::grouped ? 32 : 64;
  static constexpr size_t tile_bytes = tile_rows * group_bytes;
  static constexpr size_t depth = group_bytes * 8 / (layout::bits == 16 ? 16 : 8);
  static constexpr size_t weight_rows = group_bytes / 4; // of the right side: four bytes of each column

  static constexpr size_t groups(size_t deep) { return ceil_div(deep, depth); }
  static constexpr size_t scales(size_t groups) {
    return layout::grouped ? groups * tile_rows : layout::scaled ? tile_rows : 0;
  }
};

/// The rounded rows of a product, 16 by 16; those behind the last have numbers of no meaning and scales of 0.
///   bytes   [rows / 16, groups, 16, group_bytes]
///   scales  [rows / 16, groups, 16] where groups have scales, [rows / 16, 16] where rows do
template <class layout>
struct tiled_rows {
  using tiles = tile_layout<layout>;
  size_t count, groups;
  unsigned char* all_bytes;
  float* all_scales;

  tiled_rows(const product_args& args, float* memory)
      : count(ceil_div(args.rows, tile_rows)), groups(tiles::groups(args.depth)),
        all_bytes(reinterpret_cast<unsigned char*>(memory)),
        all_scales(memory + count * groups * tiles::tile_bytes / sizeof(float)) {}

  size_t floats() const {
    return count * (groups * tiles::tile_bytes / sizeof(float) + tiles::scales(groups));
  }
  unsigned char* bytes(size_t tile) const { return all_bytes + tile * groups * tiles::tile_bytes; }
  float* scales(size_t tile) const { return all_scales + tile * tiles::scales(groups); }
};

/// Where one of them goes, as round_row asks.
template <class layout>
struct tiled_row {
  static constexpr size_t group_bytes = tile_layout<layout>::group_bytes;
  const tiled_rows<layout>* rows;
  size_t tile, row; // in the tile

  size_t groups() const { return rows->groups; }
  unsigned char* bytes(size_t g, size_t i) const {
    return rows->bytes(tile) + (g * tile_rows + row) * group_bytes + i;
  }
  void keep_group(size_t g, float scale, const std::int32_t*) const {
    rows->scales(tile)[g * tile_rows + row] = scale;
  }
  void keep_row(float scale, std::int32_t) const { rows->scales(tile)[row] = scale; }
};

/// What LDTILECFG reads.
struct alignas(64) tile_configuration {
  unsigned char palette = 1, start = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  unsigned char rows[16] = {};
};

/// Tiles 0 to 3 hold sums, 4 and 5 rows, 6 and 7 weights, as long as this lives.
template <class layout>
struct configured_tiles {
  configured_tiles() {
    using tiles = tile_layout<layout>;
    tile_configuration c;
    for (int tile = 0; tile < 8; ++tile) {
      c.row_bytes[tile] = tile == 4 || tile == 5 ? tiles::group_bytes : 64;
      c.rows[tile] = static_cast<unsigned char>(tile >= 6 ? tiles::weight_rows : tile_rows);
    }
    _tile_loadconfig(&c);
  }
  ~configured_tiles() { _tile_release(); }
  configured_tiles(const configured_tiles&) = delete;
  configured_tiles& operator=(const configured_tiles&) = delete;
};

/// The compiler does not know that tiles are loaded from memory that it has written.
inline void tiles_see_memory() { asm volatile("" ::: "memory"); }

// Tiles are named by literals. The compiler's own loads and stores take the stride as a long, which Windows has of 32 bits.
#define FOVEA_LOAD_TILE(tile, from, stride)                                                                  \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #tile ::"r"(static_cast<const void*>(from)),                     \
               "r"(static_cast<std::ptrdiff_t>(stride)))
#define FOVEA_STORE_TILE(tile, to, stride)                                                                   \
  asm volatile("tilestored %%tmm" #tile ", (%0,%1,1)" ::"r"(static_cast<void*>(to)),                         \
               "r"(static_cast<std::ptrdiff_t>(stride))                                                      \
               : "memory")
#define FOVEA_MULTIPLY_TILES(to, rows, weights)                                                              \
  if constexpr (layout::scaled)                                                                              \
    _tile_dpbssd(to, rows, weights);                                                                         \
  else                                                                                                       \
    _tile_dpbf16ps(to, rows, weights)

/// Bytes from one row of two tiles of weights to the next: four of each of 32 columns.
inline constexpr size_t tile_pair_stride = 128;

/// sums[16 or 32, 32] = one or two tiles of rows times a panel, whose last group is at `last_weights`.
template <class layout, size_t row_tiles>
inline void multiply_tiles(const tiled_rows<layout>& x, size_t tile, const unsigned char* weights,
                           const unsigned char* last_weights, void* sums) {
  using tiles = tile_layout<layout>;
  constexpr std::ptrdiff_t stride = tile_pair_stride, row_stride = tiles::group_bytes;
  const unsigned char *first = x.bytes(tile), *second = x.bytes(tile + row_tiles - 1);
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (row_tiles == 2) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (size_t g = 0; g < x.groups; ++g) {
    const unsigned char* from =
        g + 1 == x.groups ? last_weights : weights + g * tiles::weight_rows * tile_pair_stride;
    FOVEA_LOAD_TILE(4, first + g * tiles::tile_bytes, row_stride);
    FOVEA_LOAD_TILE(6, from, stride);
    FOVEA_MULTIPLY_TILES(0, 4, 6);
    FOVEA_LOAD_TILE(7, from + 64, stride);
    FOVEA_MULTIPLY_TILES(1, 4, 7);
    if constexpr (row_tiles == 2) {
      FOVEA_LOAD_TILE(5, second + g * tiles::tile_bytes, row_stride);
      FOVEA_MULTIPLY_TILES(2, 5, 6);
      FOVEA_MULTIPLY_TILES(3, 5, 7);
    }
  }
  auto* to = static_cast<unsigned char*>(sums);
  FOVEA_STORE_TILE(0, to, stride);
  FOVEA_STORE_TILE(1, to + 64, stride);
  if constexpr (row_tiles == 2) {
    FOVEA_STORE_TILE(2, to + tile_rows * stride, stride);
    FOVEA_STORE_TILE(3, to + tile_rows * stride + 64, stride);
  }
  tiles_see_memory();
}

#undef FOVEA_MULTIPLY_TILES

/// A panel of a part.
struct tile_panel {
  const product_part* part;
  const unsigned char* weights;
  size_t column, columns;
  alignas(64) float bias[panel<avx512>] = {};

  tile_panel(const product_part& of, size_t at, size_t bytes)
      : part(&of), weights(static_cast<const unsigned char*>(of.panels) + at * bytes),
        column(at * panel<avx512>), columns(smaller(of.columns - column, panel<avx512>)) {
    if (of.bias) std::memcpy(bias, of.bias + column, columns * sizeof(float));
  }
};

/// Writes rows of a panel: value(r, v) is vector v of row `row` + r.
template <class F>
inline void finish_tile(const tile_panel& p, size_t row, size_t rows, const F& value) {
  using Arch = avx512;
  constexpr size_t stride = panel<Arch>;
  const product_part& part = *p.part;
  alignas(64) float tile[tile_rows * stride];
  const bool as_it_is = part.act == op::none && !part.other && p.columns == stride;
  float* const to = as_it_is ? part.out + row * part.out_stride + p.column : tile;
  const size_t to_stride = as_it_is ? part.out_stride : stride;
  const auto write = [&](size_t r) __attribute__((always_inline)) {
    for_constants<2>([&](auto v) __attribute__((always_inline)) {
      Arch::store(to + r * to_stride + v * width<Arch>, value(r, v));
    });
  };
  if (rows == tile_rows)
    for_constants<tile_rows>([&](auto r) __attribute__((always_inline)) { write(r); });
  else
    for (size_t r = 0; r < rows; ++r) write(r);
  if (!as_it_is) finish_block<Arch>(part, rows, row, p.column, p.columns, tile, stride);
}

/// Tiles [first, last) of rows times a panel whose weights have one scale a column, or none.
template <class layout>
inline void multiply_whole(const product_args& args, const tiled_rows<layout>& x, const tile_panel& p,
                           size_t first, size_t last) {
  using Arch = avx512;
  using tiles = tile_layout<layout>;
  const unsigned char* const weights = p.weights + layout::scales_before(panel<Arch>, 0);
  const unsigned char* last_weights = weights + (x.groups - 1) * tiles::weight_rows * tile_pair_stride;
  alignas(64) unsigned char padded[tiles::weight_rows * tile_pair_stride];
  if (ceil_div(args.depth, layout::group) % 2 != 0) { // the panel has half of the last group
    std::memcpy(padded, last_weights, sizeof padded / 2);
    std::memset(padded + sizeof padded / 2, 0, sizeof padded / 2);
    last_weights = padded;
    tiles_see_memory();
  }
  alignas(64) std::int32_t sums[2 * tile_rows * panel<Arch>];
  for (size_t tile = first; tile < last;) {
    const size_t together = smaller(last - tile, size_t{2});
    if (together == 2)
      multiply_tiles<layout, 2>(x, tile, weights, last_weights, sums);
    else
      multiply_tiles<layout, 1>(x, tile, weights, last_weights, sums);
    for (size_t i = 0; i < together; ++i, ++tile) {
      const std::int32_t* of_tile = sums + i * tile_rows * panel<Arch>;
      [[maybe_unused]] const float* scales = x.scales(tile);
      finish_tile(
          p, tile * tile_rows, smaller(args.rows - tile * tile_rows, tile_rows),
          [&](size_t r, size_t v) __attribute__((always_inline)) {
            const auto sum = int_vec<Arch>::load_aligned(of_tile + r * panel<Arch> + v * width<Arch>);
            const auto bias = vec<Arch>::load_aligned(p.bias + v * width<Arch>);
            if constexpr (!layout::scaled) {
              return Arch::from_bits(sum) + bias;
            } else {
              const vec<Arch> scale =
                  load_scales<Arch, layout>(p.weights + v * width<Arch> * layout::scale_bytes);
              return Arch::fma(Arch::to_float(sum), scale * vec<Arch>(scales[r]), bias);
            }
          });
    }
  }
}

/// Groups whose weights of four bits are bytes at a time.
inline constexpr size_t groups_unpacked = 16;

/// Weights of four bits as bytes of -8 to 7: `count` groups from group `first` on.
template <class layout>
inline void unpack_groups(const unsigned char* panel_of_weights, size_t first, size_t count,
                          unsigned char* to) {
  using Arch = avx512;
  const __m512i low = _mm512_set1_epi8(15), zero = _mm512_set1_epi8(8);
  for (size_t g = 0; g < count; ++g) {
    const unsigned char* from = panel_of_weights + layout::place(panel<Arch>, (first + g) * layout::group, 0);
    for (size_t lane = 0; lane < tile_layout<layout>::weight_rows; ++lane, to += tile_pair_stride) {
      const __m512i two = _mm512_loadu_si512(from + lane * 64);
      _mm512_store_si512(to, _mm512_sub_epi8(_mm512_and_si512(two, low), zero));
      _mm512_store_si512(to + 64, _mm512_sub_epi8(_mm512_and_si512(_mm512_srli_epi32(two, 4), low), zero));
    }
  }
  tiles_see_memory();
}

/// sums[16, 16] += for each of `count` groups the product of two tiles, as both scales say. Groups of weights
/// lie `weights_apart` bytes from each other, their scales too.
template <class layout>
inline void add_scaled_groups(const unsigned char* rows, const float* row_scales,
                              const unsigned char* weights, size_t weights_apart, const unsigned char* scales,
                              size_t scales_apart, size_t count, float* sums) {
  using Arch = avx512;
  using tiles = tile_layout<layout>;
  // A load waits until a tile's store before it is in the cache: some groups lie between.
  constexpr size_t lag = 3;
  alignas(64) std::int32_t dots[lag + 1][tile_rows * width<Arch>];
  vec<Arch> sum[tile_rows];
  for_constants<tile_rows>([&](auto r) { sum[r] = vec<Arch>::load_aligned(sums + r * panel<Arch>); });
  for (size_t next = 0; next < count + lag; ++next) {
    if (next < count) {
      _tile_zero(0);
      FOVEA_LOAD_TILE(4, rows + next * tiles::tile_bytes, tiles::group_bytes);
      FOVEA_LOAD_TILE(6, weights + next * weights_apart, tile_pair_stride);
      _tile_dpbssd(0, 4, 6);
      FOVEA_STORE_TILE(0, dots[next % (lag + 1)], 64);
      tiles_see_memory();
    }
    if (next < lag) continue;
    const size_t g = next - lag;
    const std::int32_t* of_group = dots[g % (lag + 1)];
    const vec<Arch> scale = load_scales<Arch, layout>(scales + g * scales_apart);
    for_constants<tile_rows>([&](auto r) {
      const vec<Arch> both = scale * vec<Arch>(row_scales[g * tile_rows + r]);
      const auto dot = int_vec<Arch>::load_aligned(of_group + r * width<Arch>);
      sum[r] = Arch::fma(Arch::to_float(dot), both, sum[r]);
    });
  }
  for_constants<tile_rows>([&](auto r) { sum[r].store_aligned(sums + r * panel<Arch>); });
}

/// Tiles of rows that a task takes at most.
inline constexpr size_t tiles_together = 8;

/// Tiles [first, last) of rows times a panel whose groups have scales.
template <class layout>
inline void multiply_grouped(const product_args& args, const tiled_rows<layout>& x, const tile_panel& p,
                             size_t first, size_t last) {
  using Arch = avx512;
  using tiles = tile_layout<layout>;
  constexpr size_t columns = panel<Arch>, group_weights = tiles::weight_rows * tile_pair_stride;
  constexpr size_t group_apart = layout::scales(columns, layout::group);
  alignas(64) float sums[tiles_together * tile_rows * columns];
  alignas(64) unsigned char unpacked[layout::of_4_bits ? groups_unpacked * group_weights : 1];
  for (size_t r = 0; r < (last - first) * tile_rows; ++r)
    std::memcpy(sums + r * columns, p.bias, sizeof p.bias);
  const size_t count_together = layout::of_4_bits ? groups_unpacked : x.groups;
  for (size_t g = 0; g < x.groups; g += count_together) {
    const size_t count = smaller(x.groups - g, count_together);
    if constexpr (layout::of_4_bits) unpack_groups<layout>(p.weights, g, count, unpacked);
    const unsigned char* const weights =
        layout::of_4_bits ? unpacked : p.weights + layout::place(columns, g * layout::group, 0);
    for (size_t v = 0; v < 2; ++v)
      for (size_t tile = first; tile < last; ++tile)
        add_scaled_groups<layout>(
            x.bytes(tile) + g * tiles::tile_bytes, x.scales(tile) + g * tile_rows, weights + v * 64,
            layout::of_4_bits ? group_weights : group_apart,
            p.weights + layout::scales(columns, g * layout::group) + v * width<Arch> * layout::scale_bytes,
            group_apart, count, sums + (tile - first) * tile_rows * columns + v * width<Arch>);
  }
  for (size_t tile = first; tile < last; ++tile) {
    const float* of_tile = sums + (tile - first) * tile_rows * columns;
    finish_tile(
        p, tile * tile_rows, smaller(args.rows - tile * tile_rows, tile_rows),
        [&](size_t r, size_t v) __attribute__((always_inline)) {
          return vec<Arch>::load_aligned(of_tile + r * columns + v * width<Arch>);
        });
  }
}

/// The tasks of a product: each is some panels, counted through all parts, for some tiles of rows. Their
/// rows stay in the second-level cache.
struct tile_grid {
  static constexpr size_t together = 2; // panels of a task
  size_t panels = 0, row_tiles, groups;

  explicit tile_grid(const product_args& args)
      : row_tiles(ceil_div(args.rows, tile_rows)), groups(ceil_div(row_tiles, tiles_together)) {
    for (size_t p = 0; p < args.part_count; ++p) panels += ceil_div(args.parts[p].columns, panel<avx512>);
  }
  size_t panel_tasks() const { return ceil_div(panels, together); }
};

/// Calls f with the layout of a product's weights, all parts being of one format that rounds rows, not in K blocks.
template <class F>
inline void with_rounded_format(const product_args& args, const F& f) {
  with_format(args.parts[0].format, [&](auto layout) {
    if constexpr (layout.rounded_rows && !layout.in_k_blocks) f(layout);
  });
}

/// Tiles take whole ones as long as those that are full, and groups with scales cost them more; both as
/// measured on an Intel Granite Rapids, weights in the second-level cache.
inline bool tiles_are_faster(const product_args& args) {
  bool found = false;
  with_rounded_format(args, [&](auto layout) {
    const size_t whole = ceil_div(args.rows, tile_rows) * tile_rows;
    found = layout.grouped ? 3 * args.rows > 2 * whole : args.rows >= (layout.scaled ? 4 : 2);
  });
  return found;
}

inline size_t tile_scratch(const product_args& args) {
  size_t floats = 0;
  with_rounded_format(args,
                      [&](auto layout) { floats = tiled_rows<decltype(layout)>(args, nullptr).floats(); });
  return floats;
}

inline size_t round_tiles_tasks(const product_args& args) { return ceil_div(args.rows, tile_rows); }

inline void round_tiles(const product_args& args, size_t first, size_t last, float* rounded) {
  with_rounded_format(args, [&](auto layout) {
    using format = decltype(layout);
    const tiled_rows<format> to(args, rounded);
    if (last == to.count) // what lies there may be so small that it takes the processor long
      std::memset(to.scales(last - 1), 0, tile_layout<format>::scales(to.groups) * sizeof(float));
    for (size_t row = first * tile_rows; row < smaller(last * tile_rows, args.rows); ++row)
      round_row<avx512_bf16, format>(left_row(args, row), args.depth,
                                     tiled_row<format>{&to, row / tile_rows, row % tile_rows});
  });
}

inline size_t tile_product_tasks(const product_args& args) {
  const tile_grid grid(args);
  return grid.groups * grid.panel_tasks();
}

inline void tile_product(const product_args& args, size_t first, size_t last, float* rounded) {
  const tile_grid grid(args);
  with_rounded_format(args, [&](auto layout) {
    using format = decltype(layout);
    const tiled_rows<format> x(args, rounded);
    const configured_tiles<format> tiles;
    while (first < last) {
      const size_t tasks = grid.panel_tasks(), group = first / tasks,
                   end = smaller(last, (group + 1) * tasks), tile = group * tiles_together,
                   end_tile = smaller(tile + tiles_together, grid.row_tiles);
      size_t from = (first - group * tasks) * grid.together,
             to = smaller((end - group * tasks) * grid.together, grid.panels);
      first = end;
      while (from < to) {
        const auto [part, begin, behind] = take_part<avx512>(args, from, to);
        for (size_t i = begin; i < behind; ++i) {
          const size_t at = args.backward ? behind - 1 - (i - begin) : i;
          const tile_panel p(*part, at, format::bytes(panel<avx512>, args.depth));
          if constexpr (format::grouped)
            multiply_grouped<format>(args, x, p, tile, end_tile);
          else
            multiply_whole<format>(args, x, p, tile, end_tile);
        }
      }
    }
  });
}

} // namespace detail

} // namespace fovea::core::simd

#undef FOVEA_LOAD_TILE
#undef FOVEA_STORE_TILE
