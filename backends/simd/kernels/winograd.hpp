#pragma once

// Convolution of planes by filters of 3 x 3 with fewer multiplications (Winograd 1980; Lavin and Gray 2016,
// F(4 x 4, 3 x 3)): 36 products of tiles make 16 outputs each, where their windows take 144. A tile of 6 x 6
// positions is turned into 36 sums, whose products with 36 of the filter (winograd_filters.hpp) are summed over
// features as matrix products, and turned into 4 x 4 outputs.

#include <cstring>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/window.hpp>
#include <fovea/backends/simd/kernels/winograd_points.hpp>

namespace fovea::core::simd {

namespace detail {

/// Tasks are (group of tiles, panel of columns), the panel fastest. Tiles count through all planes. No group of
/// as many planes, or of fewer or smaller ones, has more than `most` tiles.
struct winograd_grid {
  size_t across, down, tiles, most, group, groups, panels;
};

template <class Arch>
inline winograd_grid winograd_grid_of(const convolution_args& a) {
  constexpr size_t cached = 64 * 1024, enough_tasks = 64, block = block_rows<Arch>; // cached: floats
  const size_t across = ceil_div(a.axis[1].places, winograd::outputs),
               down = ceil_div(a.axis[0].places, winograd::outputs), tiles = a.planes * down * across,
               panels = ceil_div(a.columns, panel<Arch>);
  const size_t shared = ceil_div(tiles, ceil_div(enough_tasks, panels));
  const size_t most =
      smaller(larger(smaller(cached / (winograd::products * a.depth), shared), 2 * block), tiles);
  const size_t rows =
      a.threads >= many_threads ? rows_for_threads<Arch>(tiles, panels, a.threads, most) : most;
  const size_t groups = tiles == 0 ? 0 : ceil_div(tiles, rows), group = ceil_div(tiles, larger(groups, 1));
  return {across, down, tiles, most, group, groups, panels};
}

/// Where a tile is among those of its plane.
inline window_place place_of(const winograd_grid& grid, size_t tile) {
  return {tile / grid.across / grid.down, tile / grid.across % grid.down, tile % grid.across};
}

/// The scratch of one thread: a tile that reaches over an edge, with zeros there; of a group of tiles what is
/// multiplied, [products, group, depth]; and the products with one panel, [products, group, panel].
template <class Arch>
struct winograd_scratch_of {
  size_t edge_floats, turned_floats, sum_floats; // the last two of one product

  winograd_scratch_of(const convolution_args& a, size_t group)
      : edge_floats(ceil_div(winograd::products * a.depth, 16) * 16), turned_floats(apart(group * a.depth)),
        sum_floats(apart(group * panel<Arch>)) {}
  size_t floats() const { return edge_floats + winograd::products * (turned_floats + sum_floats); }
  float* turned(float* scratch) const { return scratch + edge_floats; }
  float* sums(float* scratch) const { return turned(scratch) + winograd::products * turned_floats; }

private:
  /// As far apart as products lie: an odd number of lines of a cache, so that they use all of its sets.
  static size_t apart(size_t floats) { return (ceil_div(floats, 16) | 1) * 16; }
};

/// What a tile sees: its first position, and how far lines and places are apart.
struct seen_tile {
  const float* first;
  size_t line, place;
};

/// What the tile at a place sees. One that reaches over an edge is copied to `edge`.
inline seen_tile tile_of(const convolution_args& a, const window_place& tile, float* edge) {
  constexpr size_t seen = winograd::seen;
  const float* const x = a.x + tile.plane * a.x_plane;
  const size_t line_floats = a.axis[1].in * a.depth;
  const auto origin = [&](int axis, size_t at) {
    const window_axis& along = a.axis[axis];
    const std::ptrdiff_t before = along.tap_step < 0 ? 2 : 0; // the taps come last first
    return static_cast<std::ptrdiff_t>(at * winograd::outputs) + along.first - before;
  };
  const std::ptrdiff_t y = origin(0, tile.line), z = origin(1, tile.place);
  const auto whole = [&](int axis, std::ptrdiff_t at) {
    return at >= 0 && at + static_cast<std::ptrdiff_t>(seen) <= static_cast<std::ptrdiff_t>(a.axis[axis].in);
  };
  if (whole(0, y) && whole(1, z))
    return {x + static_cast<size_t>(y) * line_floats + static_cast<size_t>(z) * a.depth, line_floats,
            a.depth};
  std::memset(edge, 0, seen * seen * a.depth * sizeof(float));
  const auto width_in = static_cast<std::ptrdiff_t>(a.axis[1].in);
  const std::ptrdiff_t left = z < 0 ? -z : 0;
  const std::ptrdiff_t right =
      z + static_cast<std::ptrdiff_t>(seen) > width_in ? width_in - z : static_cast<std::ptrdiff_t>(seen);
  for (size_t i = 0; i < seen && left < right; ++i) {
    const std::ptrdiff_t at = y + static_cast<std::ptrdiff_t>(i);
    if (!inside(a.axis[0], at)) continue;
    std::memcpy(edge + (i * seen + static_cast<size_t>(left)) * a.depth,
                x + static_cast<size_t>(at) * line_floats + static_cast<size_t>(z + left) * a.depth,
                static_cast<size_t>(right - left) * a.depth * sizeof(float));
  }
  return {edge, seen * a.depth, a.depth};
}

/// The sums of six values, in place.
template <class Arch>
[[gnu::always_inline]] inline void turn_six(vec<Arch> (&d)[winograd::seen]) {
  using namespace winograd;
  using v = vec<Arch>;
  const auto less = [](const v& x, float times, const v& y) { return Arch::fma(v(-times), y, x); };
  const v zero = less(d[0] + d[4], inner_square + outer_square, d[2]),
          infinity = less(d[1] + d[5], inner_square + outer_square, d[3]);
  const v inner_even = less(d[4], outer_square, d[2]), inner_odd = less(d[3], outer_square, d[1]);
  const v outer_even = less(d[4], inner_square, d[2]), outer_odd = less(d[3], inner_square, d[1]);
  d[0] = zero, d[5] = infinity;
  d[1] = less(inner_even, -inner, inner_odd), d[2] = less(inner_even, inner, inner_odd);
  d[3] = less(outer_even, -outer, outer_odd), d[4] = less(outer_even, outer, outer_odd);
}

/// Four outputs of six products, in place.
template <class Arch>
[[gnu::always_inline]] inline void turn_back(vec<Arch> (&m)[winograd::seen]) {
  using namespace winograd;
  using v = vec<Arch>;
  const v inner_sum = m[1] + m[2], inner_difference = m[1] - m[2], outer_sum = m[3] + m[4],
          outer_difference = m[3] - m[4];
  m[0] = m[0] + inner_sum + outer_sum;
  m[1] = Arch::fma(v(outer), outer_difference, v(inner) * inner_difference);
  m[2] = Arch::fma(v(outer_square), outer_sum, v(inner_square) * inner_sum);
  m[3] = Arch::fma(v(outer_square * outer), outer_difference,
                   Arch::fma(v(inner_square * inner), inner_difference, m[5]));
}

/// to[k * apart + feature] for each product k of one tile.
template <class Arch>
inline void turn_tile(const seen_tile& tile, size_t depth, float* to, size_t apart) {
  constexpr size_t seen = winograd::seen;
  for_vectors<Arch>(depth, [&](size_t feature, auto lanes) {
    vec<Arch> half[seen][seen];
    for_constants<seen>([&](auto j) {
      vec<Arch> d[seen];
      for_constants<seen>(
          [&](auto i) { d[i] = lanes.load(tile.first + i * tile.line + j * tile.place + feature); });
      turn_six<Arch>(d);
      for_constants<seen>([&](auto i) { half[i][j] = d[i]; });
    });
    for_constants<seen>([&](auto i) {
      turn_six<Arch>(half[i]);
      for_constants<seen>([&](auto j) { lanes.store(to + (i * seen + j) * apart + feature, half[i][j]); });
    });
  });
}

/// to[4, 4, panel] of the products of one tile, sums[k * apart + column], with the bias.
template <class Arch>
inline void turn_tile_back(const float* sums, size_t apart, const float* bias, size_t columns, float* to) {
  constexpr size_t seen = winograd::seen, outputs = winograd::outputs;
  for_vectors<Arch>(columns, [&](size_t column, auto lanes) {
    const vec<Arch> added = lanes.load(bias + column);
    vec<Arch> half[outputs][seen];
    for_constants<seen>([&](auto j) {
      vec<Arch> m[seen];
      for_constants<seen>([&](auto i) { m[i] = Arch::load(sums + (i * seen + j) * apart + column); });
      turn_back<Arch>(m);
      for_constants<outputs>([&](auto i) { half[i][j] = m[i]; });
    });
    for_constants<outputs>([&](auto i) {
      turn_back<Arch>(half[i]);
      for_constants<outputs>(
          [&](auto j) { Arch::store(to + (i * outputs + j) * panel<Arch> + column, half[i][j] + added); });
    });
  });
}

/// The tiles [first, first + count), of which `own` has what is multiplied, by panel `at`.
template <class Arch>
inline void convolve_tiles(const convolution_args& a, const winograd_grid& grid,
                           const winograd_scratch_of<Arch>& own, float* scratch, size_t first, size_t count,
                           size_t at) {
  constexpr size_t outputs = winograd::outputs, packed = panel<Arch>;
  const size_t column = at * packed, columns = smaller(a.columns - column, packed);
  const size_t of_product = panel_floats(packed, a.columns, a.depth);
  for (size_t k = 0; k < winograd::products; ++k) {
    const product_part part{.panels = a.weights + k * of_product + at * packed * a.depth,
                            .columns = columns,
                            .out = own.sums(scratch) + k * own.sum_floats,
                            .out_stride = packed};
    const product_args args{.a = own.turned(scratch) + k * own.turned_floats,
                            .rows = count,
                            .depth = a.depth,
                            .a_stride = a.depth,
                            .parts = &part,
                            .part_count = 1};
    multiply_group<Arch, product_of::windows>(args, part, 0, count, 0, 1);
  }
  alignas(64) float tile[outputs * outputs * packed];
  product_part part{.columns = columns,
                    .out_stride = a.out_place,
                    .other_stride = a.out_place,
                    .act = a.act,
                    .join = a.join};
  for (size_t t = 0; t < count; ++t) {
    const window_place of = place_of(grid, first + t);
    const size_t line = of.line * outputs, place = of.place * outputs;
    turn_tile_back<Arch>(own.sums(scratch) + t * packed, own.sum_floats, a.bias + column, columns, tile);
    const size_t lines = smaller(a.axis[0].places - line, outputs),
                 places = smaller(a.axis[1].places - place, outputs);
    for (size_t i = 0; i < lines; ++i) {
      const size_t to = of.plane * a.out_plane + (line + i) * a.out_line + place * a.out_place + column;
      part.out = a.out + to;
      part.other = a.other ? a.other + to : nullptr;
      finish_block<Arch>(part, places, 0, 0, columns, tile + i * outputs * packed, packed);
    }
  }
}

} // namespace detail

template <class Arch>
size_t winograd_tasks(const convolution_args& a) {
  const auto grid = detail::winograd_grid_of<Arch>(a);
  return grid.groups * grid.panels;
}

template <class Arch>
size_t winograd_scratch(const convolution_args& a) {
  return detail::winograd_scratch_of<Arch>(a, detail::winograd_grid_of<Arch>(a).most).floats();
}

template <class Arch>
void winograd_convolution(const convolution_args& a, size_t first, size_t last, float* scratch) {
  const auto grid = detail::winograd_grid_of<Arch>(a);
  const detail::winograd_scratch_of<Arch> own(a, grid.group);
  while (first < last) {
    const size_t tile = first / grid.panels * grid.group, at = first % grid.panels,
                 count = detail::smaller(grid.group, grid.tiles - tile),
                 panels = detail::smaller(grid.panels - at, last - first);
    for (size_t t = 0; t < count; ++t) {
      const auto seen = detail::tile_of(a, detail::place_of(grid, tile + t), scratch);
      detail::turn_tile<Arch>(seen, a.depth, own.turned(scratch) + t * a.depth, own.turned_floats);
    }
    for (size_t p = at; p < at + panels; ++p)
      detail::convolve_tiles<Arch>(a, grid, own, scratch, tile, count, p);
    first += panels;
  }
}

} // namespace fovea::core::simd
