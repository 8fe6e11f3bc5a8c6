#pragma once

// Convolution of planes by square filters with fewer multiplications (Winograd 1980; Lavin and Gray 2016): of 3 x 3
// taps 36 products of tiles make 4 x 4 outputs, where their windows take 144. A tile of 6 x 6 positions is turned
// into 36 sums, whose products with 36 of the filter (winograd_filters.hpp) are summed over features as matrix
// products, and turned into outputs. Windows more than one place apart see squares of places as one position:
// of 7 x 7 places by a stride of 2 they see 4 x 4 positions of four times the features.

#include <cstring>
#include <fovea/backends/simd/kernels/epilogue.hpp>
#include <fovea/backends/simd/kernels/product.hpp>
#include <fovea/backends/simd/kernels/window.hpp>
#include <fovea/backends/simd/kernels/winograd_points.hpp>

namespace fovea::core::simd {

namespace detail {

inline winograd::tile_shape shape_of(const convolution_args& a) {
  return {a.axis[0].taps, static_cast<size_t>(a.axis[0].step)};
}

/// Tasks are (group of tiles, panel of columns), the panel fastest. Tiles count through all planes. No group of
/// as many planes, or of fewer or smaller ones, has more than `most` tiles.
struct winograd_grid {
  size_t across, down, tiles, most, group, groups, panels;
};

template <class Arch>
inline winograd_grid winograd_grid_of(const convolution_args& a) {
  constexpr size_t cached = 64 * 1024, enough_tasks = 64, block = block_rows<Arch>; // cached: floats
  const auto whole_blocks = [](size_t tiles) { return ceil_div(tiles, block) * block; };
  const winograd::tile_shape shape = shape_of(a);
  const size_t across = ceil_div(a.axis[1].places, shape.outputs),
               down = ceil_div(a.axis[0].places, shape.outputs), tiles = a.planes * down * across,
               panels = ceil_div(a.columns, panel<Arch>);
  const size_t shared = ceil_div(tiles, ceil_div(enough_tasks, panels));
  const size_t features = shape.features(a.depth), fitting = cached / (winograd::products * features);
  const size_t most = smaller(whole_blocks(larger(smaller(fitting, shared), 2 * block)), tiles);
  const size_t rows =
      a.threads >= many_threads ? rows_for_threads<Arch>(tiles, panels, a.threads, most) : most;
  const size_t even = tiles == 0 ? 0 : ceil_div(tiles, ceil_div(tiles, rows)),
               group = smaller(whole_blocks(even), rows), groups = ceil_div(tiles, larger(group, 1));
  return {across, down, tiles, most, group, groups, panels};
}

/// Where a tile is among those of its plane.
inline window_place place_of(const winograd_grid& grid, size_t tile) {
  return {tile / grid.across / grid.down, tile / grid.across % grid.down, tile % grid.across};
}

/// The scratch of one thread: a tile that reaches over an edge, with zeros there; of a group of tiles what is
/// multiplied, [products, group, features]; and the products with one panel, [products, group, panel].
template <class Arch>
struct winograd_scratch_of {
  size_t features, edge_floats, turned_floats, sum_floats; // the last two of one product

  winograd_scratch_of(const convolution_args& a, size_t group)
      : features(shape_of(a).features(a.depth)),
        edge_floats(ceil_div(winograd::products * features + width<Arch>, 16) * 16),
        turned_floats(apart(group * features + width<Arch>)), sum_floats(apart(group * panel<Arch>)) {}
  size_t floats() const { return edge_floats + winograd::products * (turned_floats + sum_floats); }
  float* turned(float* scratch) const { return scratch + edge_floats; }
  float* sums(float* scratch) const { return turned(scratch) + winograd::products * turned_floats; }

private:
  /// As far apart as products lie: an odd number of lines of a cache, so that they use all of its sets.
  static size_t apart(size_t floats) { return (ceil_div(floats, 16) | 1) * 16; }
};

/// What a tile sees: its first place, and how far lines are apart.
struct seen_tile {
  const float* first;
  size_t line;
};

/// What the tile at a place sees. It is copied to `edge` if it reaches over an edge, or if vectors that begin in it
/// would reach over the end of the plane.
template <class Arch>
inline seen_tile tile_of(const convolution_args& a, const window_place& tile, float* edge) {
  const winograd::tile_shape shape = shape_of(a);
  const size_t lines = winograd::seen * shape.stride, line_floats = a.axis[1].in * a.depth,
               seen_floats = lines * a.depth;
  const auto seen = static_cast<std::ptrdiff_t>(lines);
  const float* const x = a.x + tile.plane * a.x_plane;
  const auto origin = [&](int axis, size_t at) {
    const window_axis& along = a.axis[axis];
    const size_t before = along.tap_step < 0 ? shape.taps - 1 : 0; // the taps come last first
    return static_cast<std::ptrdiff_t>(at * shape.outputs * shape.stride) + along.first -
           static_cast<std::ptrdiff_t>(before);
  };
  const std::ptrdiff_t y = origin(0, tile.line), z = origin(1, tile.place);
  const auto whole = [&](int axis, std::ptrdiff_t at) {
    return at >= 0 && at + seen <= static_cast<std::ptrdiff_t>(a.axis[axis].in);
  };
  if (whole(0, y) && whole(1, z)) {
    const size_t first = static_cast<size_t>(y) * line_floats + static_cast<size_t>(z) * a.depth,
                 end = first + (lines - 1) * line_floats + seen_floats;
    if (end + width<Arch> <= a.axis[0].in * line_floats) return {x + first, line_floats};
  }
  std::memset(edge, 0, (lines * seen_floats + width<Arch>)*sizeof(float));
  const auto width_in = static_cast<std::ptrdiff_t>(a.axis[1].in);
  const std::ptrdiff_t left = z < 0 ? -z : 0, right = z + seen > width_in ? width_in - z : seen;
  for (size_t i = 0; i < lines && left < right; ++i) {
    const std::ptrdiff_t at = y + static_cast<std::ptrdiff_t>(i);
    if (!inside(a.axis[0], at)) continue;
    std::memcpy(edge + i * seen_floats + static_cast<size_t>(left) * a.depth,
                x + static_cast<size_t>(at) * line_floats + static_cast<size_t>(z + left) * a.depth,
                static_cast<size_t>(right - left) * a.depth * sizeof(float));
  }
  return {edge, seen_floats};
}

/// The sums of six values, in place.
template <class Arch>
[[gnu::always_inline]] inline void turn_six(vec<Arch> (&d)[winograd::seen]) {
  using namespace winograd;
  using v = vec<Arch>;
  const auto less = [](const v& x, float times, const v& y) { return Arch::fma(v(-times), y, x); };
  const v zero = less(d[0] + d[4], inner.square + outer.square, d[2]),
          infinity = less(d[1] + d[5], inner.square + outer.square, d[3]);
  const v inner_even = less(d[4], outer.square, d[2]), inner_odd = less(d[3], outer.square, d[1]);
  const v outer_even = less(d[4], inner.square, d[2]), outer_odd = less(d[3], inner.square, d[1]);
  d[0] = zero, d[5] = infinity;
  d[1] = less(inner_even, -inner.value, inner_odd), d[2] = less(inner_even, inner.value, inner_odd);
  d[3] = less(outer_even, -outer.value, outer_odd), d[4] = less(outer_even, outer.value, outer_odd);
}

/// Outputs of six products, in place.
template <class Arch, size_t outputs>
[[gnu::always_inline]] inline void turn_back(vec<Arch> (&m)[winograd::seen]) {
  using namespace winograd;
  using v = vec<Arch>;
  const v inner_sum = m[1] + m[2], inner_difference = m[1] - m[2], outer_sum = m[3] + m[4],
          outer_difference = m[3] - m[4], infinity = m[5];
  m[0] = m[0] + inner_sum + outer_sum;
  for_constants<outputs - 1>([&](auto i) {
    constexpr size_t n = i + 1;
    const v &by_inner = n % 2 == 0 ? inner_sum : inner_difference,
            &by_outer = n % 2 == 0 ? outer_sum : outer_difference;
    const v scaled(inner.power(n));
    m[n] = Arch::fma(v(outer.power(n)), by_outer,
                     n + 1 == outputs ? Arch::fma(scaled, by_inner, infinity) : scaled * by_inner);
  });
}

/// to[k * apart + feature] for each product k of one tile. Vectors are stored whole: what is behind the last
/// feature is stored later.
template <class Arch>
inline void turn_tile(const seen_tile& tile, size_t stride, size_t depth, float* to, size_t apart) {
  constexpr size_t seen = winograd::seen;
  const size_t features = stride * depth; // of one line of a position
  for (size_t line = 0; line < stride; ++line, to += features)
    for (size_t feature = 0; feature < features; feature += width<Arch>) {
      vec<Arch> half[seen][seen];
      for_constants<seen>([&](auto j) {
        vec<Arch> d[seen];
        for_constants<seen>([&](auto i) {
          d[i] = Arch::load(tile.first + (i * stride + line) * tile.line + j * features + feature);
        });
        turn_six<Arch>(d);
        for_constants<seen>([&](auto i) { half[i][j] = d[i]; });
      });
      for_constants<seen>([&](auto i) {
        turn_six<Arch>(half[i]);
        for_constants<seen>([&](auto j) { Arch::store(to + (i * seen + j) * apart + feature, half[i][j]); });
      });
    }
}

/// Where outputs of a tile go: the first, and how far lines and places are apart.
struct tile_outputs {
  float* first;
  size_t line, place;
};

/// The outputs of the products of one tile, sums[k * apart + column], with the bias. Vectors are stored whole.
template <class Arch, size_t outputs>
void turn_tile_back(const float* sums, size_t apart, const float* bias, size_t columns, bool relu,
                    const tile_outputs& to) {
  constexpr size_t seen = winograd::seen;
  for_vectors<Arch>(columns, [&](size_t column, auto lanes) {
    const vec<Arch> added = lanes.load(bias + column);
    vec<Arch> half[outputs][seen];
    for_constants<seen>([&](auto j) {
      vec<Arch> m[seen];
      for_constants<seen>([&](auto i) { m[i] = Arch::load(sums + (i * seen + j) * apart + column); });
      turn_back<Arch, outputs>(m);
      for_constants<outputs>([&](auto i) { half[i][j] = m[i]; });
    });
    for_constants<outputs>([&](auto i) {
      turn_back<Arch, outputs>(half[i]);
      for_constants<outputs>([&](auto j) {
        const vec<Arch> sum = half[i][j] + added;
        Arch::store(to.first + i * to.line + j * to.place + column, relu ? math::relu<Arch>(sum) : sum);
      });
    });
  });
}

/// The same of a shape's outputs.
template <class Arch>
inline auto turns_back(const winograd::tile_shape& shape) {
  using turn = decltype(&turn_tile_back<Arch, 2>);
  static_assert(winograd::least_taps == 3 && winograd::most_taps == 5);
  return shape.taps == 3   ? turn{turn_tile_back<Arch, 4>}
         : shape.taps == 4 ? turn{turn_tile_back<Arch, 3>}
                           : turn{turn_tile_back<Arch, 2>};
}

/// The products of `count` tiles, of which `own` has what is multiplied, with `columns` columns of panel `at`.
template <class Arch>
inline void multiply_tiles(const convolution_args& a, const winograd_scratch_of<Arch>& own, float* scratch,
                           size_t count, size_t at, size_t columns) {
  constexpr size_t packed = panel<Arch>, block = block_rows<Arch>;
  using functions = multiply_functions<Arch, product_of::windows, false, weight_format::f32,
                                       std::make_index_sequence<block>>;
  const auto& multiplied = columns <= width<Arch> ? functions::vector : functions::whole;
  const size_t of_product = panel_floats(packed, a.columns, own.features);
  const size_t fetched = packed * sizeof(float) / ceil_div(count, block); // of the next product, each time
  const float* rows[block];
  block_sums sums{};
  sums.a = rows, sums.depth = own.features, sums.to_stride = packed;
  for (size_t k = 0; k < winograd::products; ++k) {
    const float *const weights = a.weights + k * of_product + at * packed * own.features,
                       *row = own.turned(scratch) + k * own.turned_floats;
    sums.weights = reinterpret_cast<const unsigned char*>(weights);
    sums.next = {k + 1 < winograd::products ? weights + of_product : weights, fetched};
    sums.to = own.sums(scratch) + k * own.sum_floats;
    for (size_t left = count, here; left > 0; left -= here) {
      here = next_block(left, block);
      for (size_t r = 0; r < here; ++r, row += own.features) rows[r] = row;
      multiplied[here - 1](sums);
      sums.to += here * packed;
      sums.next.at += fetched * own.features;
    }
  }
}

/// The tiles [first, first + count), of which `own` has what is multiplied, by panel `at`.
template <class Arch>
inline void convolve_tiles(const convolution_args& a, const winograd_grid& grid,
                           const winograd_scratch_of<Arch>& own, float* scratch, size_t first, size_t count,
                           size_t at) {
  constexpr size_t packed = panel<Arch>, most = winograd::most_outputs;
  const size_t outputs = shape_of(a).outputs, column = at * packed,
               columns = smaller(a.columns - column, packed);
  multiply_tiles<Arch>(a, own, scratch, count, at, columns);
  const auto turn = turns_back<Arch>(shape_of(a));
  const bool relu = a.act == op::relu,
             direct = columns == packed && a.join == op::none && (relu || a.act == op::none);
  alignas(64) float tile[most * most * packed];
  product_part part{.columns = columns,
                    .out_stride = a.out_place,
                    .other_stride = a.out_place,
                    .act = a.act,
                    .join = a.join};
  for (size_t t = 0; t < count; ++t) {
    const window_place of = place_of(grid, first + t);
    const size_t line = of.line * outputs, place = of.place * outputs,
                 lines = smaller(a.axis[0].places - line, outputs),
                 places = smaller(a.axis[1].places - place, outputs),
                 to = of.plane * a.out_plane + line * a.out_line + place * a.out_place + column;
    const float* const sums = own.sums(scratch) + t * packed;
    if (direct && lines == outputs && places == outputs) {
      turn(sums, own.sum_floats, a.bias + column, columns, relu, {a.out + to, a.out_line, a.out_place});
      continue;
    }
    turn(sums, own.sum_floats, a.bias + column, columns, false, {tile, outputs * packed, packed});
    for (size_t i = 0; i < lines; ++i) {
      part.out = a.out + to + i * a.out_line;
      part.other = a.other ? a.other + to + i * a.out_line : nullptr;
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
  const size_t stride = detail::shape_of(a).stride;
  while (first < last) {
    const size_t tile = first / grid.panels * grid.group, at = first % grid.panels,
                 count = detail::smaller(grid.group, grid.tiles - tile),
                 panels = detail::smaller(grid.panels - at, last - first);
    for (size_t t = 0; t < count; ++t) {
      const auto seen = detail::tile_of<Arch>(a, detail::place_of(grid, tile + t), scratch);
      detail::turn_tile<Arch>(seen, stride, a.depth, own.turned(scratch) + t * own.features,
                              own.turned_floats);
    }
    for (size_t p = at; p < at + panels; ++p)
      detail::convolve_tiles<Arch>(a, grid, own, scratch, tile, count, p);
    first += panels;
  }
}

} // namespace fovea::core::simd
