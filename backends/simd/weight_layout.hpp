#pragma once

#include <cstddef>

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/backends/simd/kernels/winograd_points.hpp>
#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::simd {

/// Whether each feature of a convolution is one of its input, by weights of its own.
constexpr bool is_depthwise(const graph_view& g, int id) {
  const std::int64_t groups = is_convolution(g.at(id).kind) ? g.window_of(id).groups : 1;
  return groups > 1 && g.number(g.at(g.operand(id, 0)).shape[-1]) == groups &&
         g.number(g.at(id).shape[-1]) == groups;
}

/// What a size counts as that is no number.
inline constexpr std::int64_t large_size = 64;

/// Whether a convolution over time goes by tiles (kernels/winograd_time.hpp), of so many features that vectors are full.
/// A stream's does not, which reaches only back.
constexpr bool is_by_time_tiles(const graph_view& g, int id) {
  const sliding_window& w = g.window_of(id);
  const int left = g.operand(id, 0);
  if (!w.falls_into_time_tiles() || is_transposed(g.at(id).kind) || g.at(left).kind == op::cache)
    return false;
  const shape& s = g.at(id).shape;
  const std::int64_t in = g.number(g.at(left).shape[-1]), out = g.number(s[-1]),
                     places = g.is_number(s[-2]) ? g.number(s[-2]) : large_size;
  constexpr std::int64_t least_features = 32, least_tiles = 4;
  const auto outputs =
      static_cast<std::int64_t>(winograd::tile_shape(static_cast<size_t>(w.size[1]), 1).outputs);
  return in >= least_features && out >= least_features && places >= least_tiles * outputs;
}

/// Whether a convolution goes by tiles: over time, or over planes (kernels/winograd.hpp) of so many features that vectors
/// are full and of so many places that tiles are worth their weights. Sizes that are no numbers count as large.
constexpr bool is_by_tiles(const graph_view& g, int id) {
  if (!is_convolution(g.at(id).kind)) return false;
  if (is_by_time_tiles(g, id)) return true;
  const sliding_window& w = g.window_of(id);
  const int size = w.size[0], stride = w.stride[0];
  if (!w.falls_into_plane_tiles() || (is_transposed(g.at(id).kind) && stride > 1)) return false;
  const winograd::tile_shape tile(static_cast<size_t>(size), static_cast<size_t>(stride));
  const shape& s = g.at(id).shape;
  const std::int64_t in = g.number(g.at(g.operand(id, 0)).shape[-1]), out = g.number(s[-1]);
  constexpr std::int64_t least_in = 12, least_out = 16, cached = 256 * 1024;
  const auto outputs = static_cast<std::int64_t>(tile.outputs);
  std::int64_t tiles = 1, places = 1;
  for (int axis : {-3, -2}) {
    const std::int64_t along = g.is_number(s[axis]) ? g.number(s[axis]) : large_size;
    places *= along, tiles *= (along + outputs - 1) / outputs;
  }
  // Multiplications of a tile and of a window, of each feature that comes in and out; and weights.
  const std::int64_t of_tile = std::int64_t{winograd::products} * stride * stride,
                     of_window = std::int64_t{size} * size;
  // Outputs behind an edge cost as others do. A tile reads more weights than a window, which few tiles do not repay
  // where they come from memory.
  const bool pays = places * of_window >= 2 * tiles * of_tile;
  const bool repays = 4 * tiles * of_window >= 9 * of_tile || (tiles >= 4 && in * out * of_tile <= cached);
  return in * stride * stride >= least_in && out >= least_out && pays && repays;
}

/// How the weights of a convolution, or of a linear map with a norm, lie: for each phase, panels of each
/// group, the depth of a panel running over taps and, in each, features; depthwise, [taps, features]; by tiles,
/// of each of `products` panels whose depth is the features of a position.
struct weight_layout {
  sliding_window window;
  bool transposed, by_tiles;
  size_t groups, in, out; // features of a group

  constexpr weight_layout(const graph_view& g, int id)
      : window(is_convolution(g.at(id).kind) ? g.window_of(id) : sliding_window{}),
        transposed(is_transposed(g.at(id).kind)), by_tiles(is_by_tiles(g, id)),
        groups(static_cast<size_t>(window.groups)),
        in(static_cast<size_t>(g.number(g.at(g.operand(id, 0)).shape[-1])) / groups),
        out(static_cast<size_t>(g.number(g.at(id).shape[-1])) / groups) {}
  constexpr bool depthwise() const { return groups > 1 && in == 1 && out == 1; }
  /// By tiles: the products, and the features of a position.
  constexpr size_t products() const { return window.axes == 1 ? winograd::seen : winograd::products; }
  constexpr size_t tile_features() const {
    return winograd::tile_shape(static_cast<size_t>(window.size[1]), static_cast<size_t>(window.stride[1]))
        .features(in);
  }
  size_t phase_floats(size_t taps, size_t panel) const {
    if (by_tiles) return products() * panel_floats(panel, out, tile_features());
    return depthwise() ? (taps * groups + 15) / 16 * 16 : groups * panel_floats(panel, out, taps * in);
  }
};

} // namespace fovea::core::simd
