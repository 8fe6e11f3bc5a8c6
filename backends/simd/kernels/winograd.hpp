#pragma once

// Convolution of planes by square filters with fewer multiplications (Winograd 1980; Lavin and Gray 2016): of 3 x 3
// taps 36 products of tiles make 4 x 4 outputs, where their windows take 144. A tile of 6 x 6 positions is turned
// into 36 sums, whose products with 36 of the filter (winograd_filters.hpp) are summed over features as matrix
// products, and turned into outputs. Windows more than one place apart see squares of places as one position:
// of 7 x 7 places by a stride of 2 they see 4 x 4 positions of four times the features.

#include <cstring>
#include <fovea/backends/simd/kernels/window_places.hpp>
#include <fovea/backends/simd/kernels/winograd_tiles.hpp>

namespace fovea::core::simd {

namespace detail {

inline winograd::tile_shape shape_of(const convolution_args& a) {
  return {a.axis[0].taps, static_cast<size_t>(a.axis[0].step)};
}

/// Tasks are (group of tiles, panel of columns), the panel fastest. Tiles count through all planes.
struct winograd_grid {
  size_t across, down, tiles, panels;
  tile_groups groups;
};

template <class Arch>
inline winograd_grid winograd_grid_of(const convolution_args& a) {
  const winograd::tile_shape shape = shape_of(a);
  const size_t across = ceil_div(a.axis[1].places, shape.outputs),
               down = ceil_div(a.axis[0].places, shape.outputs), tiles = a.planes * down * across,
               panels = ceil_div(a.columns, panel<Arch>);
  return {across, down, tiles, panels,
          tile_groups_of<Arch>(tiles, winograd::products * shape.features(a.depth), panels, a.threads)};
}

template <class Arch>
inline winograd_scratch_of<Arch> winograd_scratch_for(const convolution_args& a, size_t group) {
  return {winograd::products, shape_of(a).features(a.depth), group};
}

/// Where a tile is among those of its plane.
inline window_place place_of(const winograd_grid& grid, size_t tile) {
  return {tile / grid.across / grid.down, tile / grid.across % grid.down, tile % grid.across};
}

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
  static_assert(winograd::least_taps == 3 && winograd::most_taps == 5); // as falls_into_plane_tiles has them
  return shape.taps == 3   ? turn{turn_tile_back<Arch, 4>}
         : shape.taps == 4 ? turn{turn_tile_back<Arch, 3>}
                           : turn{turn_tile_back<Arch, 2>};
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
  return grid.groups.count * grid.panels;
}

template <class Arch>
size_t winograd_scratch(const convolution_args& a) {
  return detail::winograd_scratch_for<Arch>(a, detail::winograd_grid_of<Arch>(a).groups.most).floats();
}

template <class Arch>
void winograd_convolution(const convolution_args& a, size_t first, size_t last, float* scratch) {
  const auto grid = detail::winograd_grid_of<Arch>(a);
  const size_t group = grid.groups.group;
  const auto own = detail::winograd_scratch_for<Arch>(a, group);
  const size_t stride = detail::shape_of(a).stride;
  while (first < last) {
    const size_t tile = first / grid.panels * group, at = first % grid.panels,
                 count = detail::smaller(group, grid.tiles - tile),
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
