#pragma once

#include <cstdint>

#include <fovea/dsl/graph.hpp>
#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::detail {

/// The id that a graph has given a symbol, or 0.
constexpr std::uint16_t dim_of_graph(const graph& g, const dim& symbol) {
  for (std::uint16_t d = 1; d < g.dim_count; ++d)
    if (!g.is_number(d) && g.dim_of(d) == symbol) return d;
  return 0;
}

/// The batch of what takes positions along `time`, as a dim of its graph: a first axis of its inputs that is
/// known at run time only and has no time in it; 0 where there is none.
constexpr int batch_of(const graph_view& g, const dim& time) {
  for (const named_value& in : g.inputs) {
    const shape& s = g.at(in.node).shape;
    if (s.rank > 1 && !g.is_number(s[0]) && !g.dim_of(s[0]).mentions(time)) return static_cast<int>(s[0]);
  }
  return 0;
}

/// How many parts of each row an axis has that is the batch times a number; 0 where it is not.
template <class graph_type>
constexpr std::int64_t parts_of_rows(const graph_type& g, int axis, const dim& batch) {
  if (g.is_number(static_cast<std::uint16_t>(axis))) return 0;
  const dim size = g.dim_of(static_cast<std::uint16_t>(axis));
  const auto of_batch = [&](std::int64_t rows, std::int64_t others) {
    return size.evaluate([&](const char* name) { return same_text(name, batch.name()) ? rows : others; });
  };
  const std::int64_t parts = of_batch(1, 1);
  return size == batch * dim(parts) ? parts : 0;
}

/// Which axes of a graph are positions along a dim, and which operations give at each position what that of
/// their operands says.
struct by_position {
  const graph& g;
  std::uint16_t time;
  bool has_dim[graph::max_dims] = {}; // the dim is in a dim

  constexpr by_position(const graph& of, std::uint16_t along) : g(of), time(along) {
    const dim& symbol = g.forms[-1 - g.dim_numbers[time]];
    for (std::uint16_t d = 1; d < g.dim_count; ++d)
      has_dim[d] = !g.is_number(d) && g.forms[-1 - g.dim_numbers[d]].mentions(symbol);
  }

  constexpr bool has_time(std::uint16_t d) const { return has_dim[d]; }
  /// The first axis of a node that has positions, or -1; and how many have.
  constexpr int time_axis(int id) const {
    const shape& s = g.nodes[id].shape;
    for (int i = 0; i < s.rank; ++i)
      if (has_time(s[i])) return i;
    return -1;
  }
  constexpr int time_axes(int id) const {
    int axes = 0;
    for (int i = 0; i < g.nodes[id].shape.rank; ++i) axes += has_time(g.nodes[id].shape[i]);
    return axes;
  }

  /// Why an operation does not work on each position by itself; null where it does. What begins or ends a
  /// loop, attention and windows of several positions, which keep what went before, are other passes' to
  /// judge.
  constexpr const char* mixes(int id) const {
    const node& n = g.nodes[id];
    const int axis = time_axis(id);
    const auto axis_of = [&](int k) { return time_axis(g.operand(id, k)); };
    const auto unless = [](bool holds, const char* why) { return holds ? nullptr : why; };
    const auto meets_others = [&](int k) {
      return axis_of(k) >= 0 && axis_of(k) - g.nodes[g.operand(id, k)].shape.rank != axis - n.shape.rank;
    };
    const auto is_last = [&](int k, int from_last) {
      return axis_of(k) == g.nodes[g.operand(id, k)].shape.rank - from_last;
    };
    switch (operation_of(n.kind).positions) {
      case over::each:
        for (int k = 0; k < n.operand_count; ++k)
          if (meets_others(k)) return "positions meet other axes";
        return nullptr;
      case over::turned:
        return nullptr;
      case over::features:
        return unless(!is_last(0, 1), operation_of(n.kind).of == family::norm ? "it norms over positions"
                                      : n.kind == op::order                   ? "it orders positions"
                                                                              : "it sums over positions");
      case over::matrices:
        if (is_last(0, 1) || is_last(1, 2)) return "it sums over positions";
        return unless(!meets_others(0) && !meets_others(1), "positions meet other axes");
      case over::rows:
        return unless(axis_of(0) < 0, "its table has positions");
      case over::along:
      case over::running:
        return unless(axis_along(n) != axis && axis_along(n) != axis_of(0), "it works along positions");
      case over::reduced:
        return unless(axis_along(n) != axis_of(0), "it needs all positions");
      case over::window:
        return unless(is_of_one(g.windows[n.settings.window.index]) && axis != n.shape.rank - 1,
                      "its windows see other positions");
      case over::other:
        break;
    }
    if (n.kind == op::reshape)
      return unless(axis < 0 ? axis_of(0) < 0 : keeps_axis(id), "positions do not stay an axis of their own");
    return "it has no form that takes some positions at a time";
  }

  /// The product of the first axes of a shape.
  constexpr dim size_before(const shape& s, int axis) const {
    dim size = 1;
    for (int i = 0; i < axis; ++i) size = size * g.dim_of(s[i]);
    return size;
  }

private:
  static constexpr bool is_of_one(const sliding_window& w) {
    return w.taps() == 1 && w.stride[0] == 1 && w.stride[1] == 1 && w.padding(0) == 0 && w.padding(1) == 0;
  }
  /// Whether a reshape has positions as an axis as it was, with as much before it.
  constexpr bool keeps_axis(int id) const {
    const shape &from = g.nodes[g.operand(id, 0)].shape, &to = g.nodes[id].shape;
    const int axis = time_axis(id), axis_before = time_axis(g.operand(id, 0));
    return axis_before >= 0 && from[axis_before] == to[axis] &&
           size_before(from, axis_before) == size_before(to, axis);
  }
};

} // namespace fovea::core::detail
