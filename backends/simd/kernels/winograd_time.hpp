#pragma once

// Convolution over time by tiles (winograd.hpp): of 3 taps 6 products make 4 outputs, where their windows take 12, and
// of 5 taps 2, where they take 10.

#include <cstring>
#include <fovea/backends/simd/kernels/reduce.hpp>
#include <fovea/backends/simd/kernels/window_places.hpp>
#include <fovea/backends/simd/kernels/winograd_tiles.hpp>
#include <limits>

namespace fovea::core::simd {

namespace detail {

/// Tasks are (group of tiles, panel of columns), the panel fastest. Tiles count through all planes; with `largest` a task
/// has all tiles of one plane, a group at a time.
struct time_grid {
  size_t outputs, across, panels, tasks;
  tile_groups groups; // with `largest` those of one plane
};

template <class Arch>
inline time_grid time_grid_of(const convolution_args& a) {
  static_assert(winograd::least_taps == 3 &&
                winograd::most_taps == 5); // sliding_window::falls_into_time_tiles
  const size_t outputs = winograd::tile_shape(a.axis[1].taps, 1).outputs,
               across = ceil_div(a.axis[1].places, outputs), panels = ceil_div(a.columns, panel<Arch>);
  const size_t tiles = a.largest ? across : a.planes * across;
  // Those of one plane are no tasks by themselves: there are as many as find room.
  const tile_groups groups = a.largest
                                 ? tile_groups_of<Arch>(tiles, winograd::seen * a.depth, enough_tile_tasks, 1)
                                 : tile_groups_of<Arch>(tiles, winograd::seen * a.depth, panels, a.threads);
  return {outputs, across, panels, (a.largest ? a.planes : groups.count) * panels, groups};
}

template <class Arch>
inline winograd_scratch_of<Arch> time_scratch_for(const convolution_args& a, size_t group) {
  return {winograd::seen, a.depth, group};
}

/// to[k * apart + feature] for each product k of tile `at` of a plane. What reaches over an end, or vectors that would
/// be loaded there, is copied to `edge`. Vectors are stored whole: what is behind the last feature is stored later.
template <class Arch>
inline void turn_time_tile(const convolution_args& a, const float* plane, size_t at, float* edge, float* to,
                           size_t apart) {
  constexpr size_t seen = winograd::seen;
  const auto in = static_cast<std::ptrdiff_t>(a.axis[1].in), count = static_cast<std::ptrdiff_t>(seen);
  const std::ptrdiff_t first = position(a.axis[1], at, 0);
  const float* x = edge;
  if (first >= 0 && (static_cast<size_t>(first) + seen) * a.depth + width<Arch> <= a.axis[1].in * a.depth) {
    x = plane + static_cast<size_t>(first) * a.depth;
  } else {
    std::memset(edge, 0, (seen * a.depth + width<Arch>)*sizeof(float));
    const std::ptrdiff_t left = first < 0 ? -first : 0, right = first + count > in ? in - first : count;
    if (left < right)
      std::memcpy(edge + static_cast<size_t>(left) * a.depth,
                  plane + static_cast<size_t>(first + left) * a.depth,
                  static_cast<size_t>(right - left) * a.depth * sizeof(float));
  }
  for (size_t feature = 0; feature < a.depth; feature += width<Arch>) {
    vec<Arch> d[seen];
    for_constants<seen>([&](auto i) { d[i] = Arch::load(x + i * a.depth + feature); });
    turn_six<Arch>(d);
    for_constants<seen>([&](auto i) { Arch::store(to + i * apart + feature, d[i]); });
  }
}

/// The outputs of the products of one tile, sums[k * apart + column], with the bias, rows `stride` apart.
template <class Arch, size_t outputs>
void turn_time_back(const float* sums, size_t apart, const float* bias, size_t columns, bool relu, float* to,
                    size_t stride) {
  constexpr size_t seen = winograd::seen;
  for_vectors<Arch>(columns, [&](size_t column, auto lanes) {
    const vec<Arch> added = lanes.load(bias + column);
    vec<Arch> m[seen];
    for_constants<seen>([&](auto i) { m[i] = Arch::load(sums + i * apart + column); });
    turn_back<Arch, outputs>(m);
    for_constants<outputs>([&](auto i) {
      const vec<Arch> sum = m[i] + added;
      lanes.store(to + i * stride + column, relu ? math::relu<Arch>(sum) : sum);
    });
  });
}

/// out = the largest of out and `rows` rows of a panel.
template <class Arch>
inline void add_largest(const float* rows, size_t count, size_t columns, float* out) {
  const extreme<Arch, true> larger_one;
  for_vectors<Arch>(columns, [&](size_t column, auto lanes) {
    vec<Arch> most = lanes.load(out + column);
    for (size_t i = 0; i < count; ++i) most = larger_one(most, lanes.load(rows + i * panel<Arch> + column));
    lanes.store(out + column, most);
  });
}

/// The tiles [first, first + count), of which `own` has what is multiplied, by panel `at`; of plane `plane` with
/// `largest`, else counted through all.
template <class Arch, size_t outputs>
void convolve_time_tiles(const convolution_args& a, const time_grid& grid,
                         const winograd_scratch_of<Arch>& own, float* scratch, size_t plane, size_t first,
                         size_t count, size_t at) {
  constexpr size_t packed = panel<Arch>;
  const size_t column = at * packed, columns = smaller(a.columns - column, packed);
  multiply_tiles<Arch>(a, own, scratch, count, at, columns);
  const bool relu = a.act == op::relu, activates = a.act != op::none && !relu;
  alignas(64) float tile[outputs * packed], activated[outputs * packed];
  product_part part{.columns = columns,
                    .out_stride = a.largest ? packed : a.out_place,
                    .other_stride = a.out_place,
                    .act = a.act,
                    .join = a.join};
  window_place of(plane + first / grid.across, 0, first % grid.across);
  for (size_t t = 0; t < count; ++t) {
    const size_t place = of.place * outputs, places = smaller(a.axis[1].places - place, outputs);
    const float* const sums = own.sums(scratch) + t * packed;
    float* const out = a.out + of.plane * a.out_plane + column + (a.largest ? 0 : place * a.out_place);
    const bool direct = !a.largest && places == outputs && a.join == op::none && !activates;
    turn_time_back<Arch, outputs>(sums, own.sum_floats, a.bias + column, columns,
                                  relu && (direct || a.largest), direct ? out : tile,
                                  direct ? a.out_place : packed);
    if (a.largest) {
      if (place == 0)
        for (size_t j = 0; j < columns; ++j) out[j] = -std::numeric_limits<float>::infinity();
      part.out = activated;
      if (activates) finish_block<Arch>(part, places, 0, 0, columns, tile, packed);
      add_largest<Arch>(activates ? activated : tile, places, columns, out);
    } else if (!direct) {
      part.out = out;
      part.other = a.other ? a.other + (out - a.out) : nullptr;
      finish_block<Arch>(part, places, 0, 0, columns, tile, packed);
    }
    if (++of.place == grid.across) of.place = 0, ++of.plane;
  }
}

template <class Arch>
inline auto convolves_time_tiles(size_t outputs) {
  using convolves = decltype(&convolve_time_tiles<Arch, 2>);
  static_assert(winograd::most_outputs == 4 && winograd::seen + 1 - winograd::most_taps == 2);
  return outputs == 4   ? convolves{convolve_time_tiles<Arch, 4>}
         : outputs == 3 ? convolves{convolve_time_tiles<Arch, 3>}
                        : convolves{convolve_time_tiles<Arch, 2>};
}

} // namespace detail

template <class Arch>
size_t winograd_time_tasks(const convolution_args& a) {
  return detail::time_grid_of<Arch>(a).tasks;
}

template <class Arch>
size_t winograd_time_scratch(const convolution_args& a) {
  return detail::time_scratch_for<Arch>(a, detail::time_grid_of<Arch>(a).groups.most).floats();
}

template <class Arch>
void winograd_time_convolution(const convolution_args& a, size_t first, size_t last, float* scratch) {
  const auto grid = detail::time_grid_of<Arch>(a);
  const size_t group = grid.groups.group;
  const auto own = detail::time_scratch_for<Arch>(a, group);
  const auto convolve = detail::convolves_time_tiles<Arch>(grid.outputs);
  while (first < last) {
    const size_t chunk = first / grid.panels, at = first % grid.panels,
                 panels = detail::smaller(grid.panels - at, last - first);
    const size_t plane = a.largest ? chunk : 0, begin = a.largest ? 0 : chunk * group,
                 end = a.largest ? grid.across : detail::smaller(begin + group, a.planes * grid.across);
    for (size_t tile = begin; tile < end; tile += group) {
      const size_t count = detail::smaller(group, end - tile);
      for (size_t t = 0; t < count; ++t) {
        const size_t of = plane * grid.across + tile + t;
        detail::turn_time_tile<Arch>(a, a.x + of / grid.across * a.x_plane, of % grid.across * grid.outputs,
                                     scratch, own.turned(scratch) + t * own.features, own.turned_floats);
      }
      for (size_t p = at; p < at + panels; ++p) convolve(a, grid, own, scratch, plane, tile, count, p);
    }
    first += panels;
  }
}

} // namespace fovea::core::simd
