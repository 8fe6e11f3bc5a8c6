#pragma once

#include <cstddef>

#include <fovea/backends/simd/kernels/arguments.hpp>
#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::simd {

/// Whether each feature of a convolution is one of its input, by weights of its own.
constexpr bool is_depthwise(const graph_view& g, int id) {
  const std::int64_t groups = is_convolution(g.at(id).kind) ? g.window_of(id).groups : 1;
  return groups > 1 && g.number(g.at(g.operand(id, 0)).shape[-1]) == groups &&
         g.number(g.at(id).shape[-1]) == groups;
}

/// How the weights of a convolution, or of a linear map with a norm, lie: for each phase, panels of each
/// group, the depth of a panel running over taps and, in each, features; depthwise, [taps, features].
struct weight_layout {
  sliding_window window;
  bool transposed;
  size_t groups, in, out; // features of a group

  constexpr weight_layout(const graph_view& g, int id)
      : window(is_convolution(g.at(id).kind) ? g.window_of(id) : sliding_window{}),
        transposed(is_transposed(g.at(id).kind)), groups(static_cast<size_t>(window.groups)),
        in(static_cast<size_t>(g.number(g.at(g.operand(id, 0)).shape[-1])) / groups),
        out(static_cast<size_t>(g.number(g.at(id).shape[-1])) / groups) {}
  constexpr bool depthwise() const { return groups > 1 && in == 1 && out == 1; }
  size_t phase_floats(size_t taps, size_t panel) const {
    return depthwise() ? (taps * groups + 15) / 16 * 16 : groups * panel_floats(panel, out, taps * in);
  }
};

} // namespace fovea::core::simd
