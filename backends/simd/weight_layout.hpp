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

/// Whether a convolution takes 3 x 3 filters by tiles (kernels/winograd.hpp): neighbouring windows of planes, of
/// so many features that vectors are full. Sizes that are no numbers count as large.
constexpr bool is_by_tiles(const graph_view& g, int id) {
  if (!is_convolution(g.at(id).kind)) return false;
  const sliding_window& w = g.window_of(id);
  const auto both = [](const int(&of)[2], int number) { return of[0] == number && of[1] == number; };
  if (w.axes != 2 || w.groups != 1 || !both(w.size, 3) || !both(w.stride, 1) || !both(w.dilation, 1))
    return false;
  const shape& s = g.at(id).shape;
  const std::int64_t in = g.number(g.at(g.operand(id, 0)).shape[-1]), out = g.number(s[-1]);
  constexpr std::int64_t outputs = winograd::outputs, products = winograd::products;
  constexpr std::int64_t large = 64, least_features = 16, cached = 256 * 1024;
  std::int64_t tiles = 1, places = 1;
  for (int axis : {-3, -2}) {
    const std::int64_t size = g.is_number(s[axis]) ? g.number(s[axis]) : large;
    places *= size, tiles *= (size + outputs - 1) / outputs;
  }
  // A tile costs a quarter of what its outputs cost, where they are all there. It reads four times the weights,
  // which few tiles do not repay where they come from memory.
  const bool pays = 2 * places >= tiles * outputs * outputs;
  const bool repays = tiles >= 9 || (tiles >= 4 && in * out * products <= cached);
  return in >= least_features && out >= least_features && pays && repays;
}

/// How the weights of a convolution, or of a linear map with a norm, lie: for each phase, panels of each
/// group, the depth of a panel running over taps and, in each, features; depthwise, [taps, features]; by tiles,
/// of each of winograd::products panels whose depth is the features.
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
  size_t phase_floats(size_t taps, size_t panel) const {
    if (by_tiles) return winograd::products * panel_floats(panel, out, in);
    return depthwise() ? (taps * groups + 15) / 16 * 16 : groups * panel_floats(panel, out, taps * in);
  }
};

} // namespace fovea::core::simd
