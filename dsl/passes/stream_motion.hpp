#pragma once

#include <cstdint>
#include <utility>

#include <fovea/dsl/passes/by_position.hpp>
#include <fovea/dsl/passes/needed.hpp>

namespace fovea::core::detail {

/// Which nodes of a graph depend on a dim that a stream moves along. Strides divide the dim, and several
/// positions may come of each of it: an axis whose positions are a fixed share of the dim, or a fixed number
/// for each of it, moves along it too, with as many more or fewer beside them as a number says (T + 2).
struct stream_motion : by_position {
  static constexpr int most = graph::max_nodes;

  bool live[most] = {}, moves[most] = {},
       given[most] = {}; // an output needs it; depends on the dim; on an input
  bool ends[most] = {};  // is known after the last position: the state of a scan, and what is made of it
  bool moving_region[graph::max_regions] = {};
  bool hoisted[most] = {}; // inside a loop that moves: the same at every step, so that `begin` computes it
  std::int32_t rates[graph::max_dims] = {}; // of the dims that the dim is in, as positions_at has it; 0: none
  std::int32_t extras[graph::max_dims] = {}; // what such a dim has beside, below 0 where it has fewer
  /// The dim that a node's positions had as an axis of their own: where others before them have joined it
  /// (B * T), not that of the axis. 0: none.
  std::uint16_t positions[most] = {};
  std::int64_t stride = 1; // the dim moves on by multiples of this, so that every rate divides it

  constexpr stream_motion(const graph& of, std::uint16_t along) : by_position(of, along) {
    find_rates();
    find_positions();
    find_live();
    find_moving();
    find_ends();
  }

  /// A dim moves where, at multiples of all strides, it grows with the dim alone, and evenly.
  constexpr void find_rates() {
    std::int64_t all = 1;
    for (int id = 0; id < g.node_count; ++id)
      if (slides(g.nodes[id].kind))
        for (const int s : g.windows[g.nodes[id].settings.window.index].stride)
          if (all < most_stride) all *= s;
    const dim& symbol = g.forms[-1 - g.dim_numbers[time]];
    for (std::uint16_t d = 1; d < g.dim_count; ++d) {
      if (!has_time(d)) continue;
      const dim& form = g.forms[-1 - g.dim_numbers[d]];
      const auto size = [&](std::int64_t of_dim, std::int64_t elsewhere) {
        return form.evaluate(
            [&](const char* name) { return same_text(name, symbol.name()) ? of_dim : elsewhere; });
      };
      constexpr std::int64_t some = 1000003, other = 1000211;
      const std::int64_t one = size(all, some), grows = size(2 * all, some) - one, extra = one - grows;
      if (grows <= 0 || size(3 * all, some) != one + 2 * grows || size(all, other) != one) continue;
      if ((all % grows != 0 && grows % all != 0) || grows / all > most_stride ||
          extra < -sliding_window::largest || extra > sliding_window::largest)
        continue;
      rates[d] = static_cast<std::int32_t>(all % grows == 0 ? all / grows : -(grows / all));
      extras[d] = static_cast<std::int32_t>(extra);
      std::int64_t a = stride, b = rates[d] > 0 ? rates[d] : 1;
      const std::int64_t divides = b;
      while (b != 0) a %= b, std::swap(a, b);
      stride *= divides / a;
    }
  }
  static constexpr std::int64_t most_stride = 1 << 20;

  /// The rate of its positions, and how many it has beside.
  constexpr std::int32_t rate_of(int id) const { return rates[positions[id]]; }
  constexpr std::int32_t extra_of(int id) const { return extras[positions[id]]; }
  constexpr bool is_joined(int id) const {
    return positions[id] != 0 && positions[id] != g.nodes[id].shape[time_axis(id)];
  }
  constexpr void find_positions() {
    for (int id = 0; id < g.node_count; ++id) {
      const node& n = g.nodes[id];
      const int axis = time_axis(id);
      if (axis < 0) continue;
      positions[id] = n.shape[axis];
      for (int k = 0; k < n.operand_count; ++k) {
        const int from = g.operand(id, k);
        if (positions[from] == 0) continue;
        const bool same_axis = g.nodes[from].shape[time_axis(from)] == n.shape[axis];
        if (n.kind == op::reshape ? stays_whole(id) : same_axis && n.kind != op::input)
          positions[id] = positions[from];
      }
    }
  }
  /// How many positions a reshape makes of each, of the features behind it: 0 where it does nothing of the
  /// kind. Below 0: of how many it makes one.
  constexpr std::int32_t spreads(int id) const {
    const int from = g.operand(id, 0), axis = time_axis(id), before = time_axis(from);
    if (g.nodes[id].kind != op::reshape || axis < 0 || before < 0 || is_joined(from) || positions[from] == 0)
      return 0;
    const shape &s = g.nodes[from].shape, &made = g.nodes[id].shape;
    if (s[before] == made[axis] || !(size_before(s, before) == size_before(made, axis))) return 0;
    const dim size = g.dim_of(s[before]), spread = g.dim_of(made[axis]);
    const std::int32_t finer = shares(rates[s[before]], rates[made[axis]]);
    if (finer > 0 && spread == size * dim(finer)) return finer;
    return finer < 0 && size == spread * dim(-finer) ? finer : 0;
  }
  /// How many positions of one rate there are for each of another; below 0: for how many there is one.
  static constexpr std::int32_t shares(std::int32_t rate, std::int32_t finer) {
    if (rate == 0 || finer == 0) return 0;
    const std::int64_t moves = rate > 0 ? rate : 1, gives = rate > 0 ? 1 : -rate,
                       other_moves = finer > 0 ? finer : 1, other_gives = finer > 0 ? 1 : -finer;
    const std::int64_t many = other_gives * moves, few = gives * other_moves;
    return static_cast<std::int32_t>(many % few == 0 ? many / few : few % many == 0 ? -(few / many) : 0);
  }
  /// Whether a reshape keeps positions next to each other, with as much outside of them: as an axis of their
  /// own, or as the inner part of one.
  constexpr bool stays_whole(int id) const {
    const int from = g.operand(id, 0), axis = time_axis(id);
    if (axis < 0 || positions[from] == 0) return false;
    const shape& to = g.nodes[id].shape;
    const dim before = size_before(g.nodes[from].shape, time_axis(from) + 1),
              after = size_before(to, axis + 1);
    return !before.overflow && !after.overflow && before == after;
  }
  constexpr bool moving_scan(int region) const { return has_time(g.regions[region].time); }
  constexpr bool inside_moving_scan(int region) const {
    for (; region != 0; region = g.regions[region].parent)
      if (moving_scan(region)) return true;
    return false;
  }

  constexpr void find_live() {
    for (int i = 0; i < g.input_count; ++i) live[g.inputs[i].node] = true; // given, needed or not
    for (int i = 0; i < g.output_count; ++i) live[g.outputs[i].node] = true;
    mark_needed(g, live);
    // The last state of a scan is kept, whether an output needs it or not.
    for (int id = 0; id < g.node_count; ++id) {
      const node& n = g.nodes[id];
      if (n.kind == op::repeat_output && moving_scan(n.settings.carried.region) &&
          live[g.regions[n.settings.carried.region].first])
        live[id] = true;
    }
  }
  constexpr void find_moving() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (int id = 0; id < g.node_count; ++id) {
        if (moves[id] || !live[id]) continue;
        const node& n = g.nodes[id];
        bool now = moving_scan(n.region) && (n.kind == op::carry || n.kind == op::time_index);
        for (int i = 0; i < n.shape.rank; ++i) now |= has_time(n.shape[i]);
        for (int k = 0; k < n.operand_count; ++k) now |= moves[g.operand(id, k)];
        if (n.kind == op::carry) now |= moves[g.regions[n.region].results[n.settings.carried.index]];
        moves[id] = now;
        changed |= now;
      }
    }
    for (int id = 0; id < g.node_count; ++id) {
      given[id] = g.nodes[id].kind == op::input;
      for (int k = 0; k < g.nodes[id].operand_count; ++k) given[id] |= given[g.operand(id, k)];
    }
    for (int id = 0; id < g.node_count; ++id)
      if (moves[id])
        for (int r = g.nodes[id].region; r != 0; r = g.regions[r].parent) moving_region[r] = true;
    for (int id = 0; id < g.node_count; ++id) hoisted[id] = can_be_hoisted(id);
  }
  /// Whether a node is its operand's last position, in a step the last of the new ones.
  constexpr bool is_last(int id) const {
    const node& n = g.nodes[id];
    if (n.kind != op::slice || n.settings.slice.axis != time_axis(g.operand(id, 0)) ||
        is_joined(g.operand(id, 0)))
      return false;
    const dim first = g.dim_of(n.settings.slice.first);
    return first + 1 == g.dim_of(g.nodes[g.operand(id, 0)].shape[n.settings.slice.axis]) && time_axis(id) < 0;
  }
  /// Whether an operation takes of its operand no more than how long it is.
  static constexpr bool counts_alone(op kind) { return kind == op::range || kind == op::sinusoidal; }
  constexpr void find_ends() {
    for (bool changed = true; changed;) {
      changed = false;
      for (int id = 0; id < g.node_count; ++id) {
        const node& n = g.nodes[id];
        if (ends[id] || !moves[id] || time_axis(id) >= 0 || inside_moving_scan(n.region) ||
            counts_alone(n.kind))
          continue;
        bool now = is_last(id) || (n.kind == op::repeat_output && moving_scan(n.settings.carried.region));
        for (int k = 0; k < n.operand_count; ++k) now |= ends[g.operand(id, k)];
        if (n.kind == op::carry) now |= ends[g.regions[n.region].results[n.settings.carried.index]];
        ends[id] = now;
        changed |= now;
      }
    }
  }
  /// The repeat, or the model itself, that the body of a moving scan belongs to.
  constexpr int home_of(int region) const {
    while (region != 0 && moving_scan(region)) region = g.regions[region].parent;
    return region;
  }
  /// Whether a node of a moving loop depends on inputs, and not on what the loop carries.
  constexpr bool can_be_hoisted(int id) const {
    const node& n = g.nodes[id];
    if (!live[id] || moves[id] || !given[id] || is_leaf(id) || !region_moves(n.region)) return false;
    for (int r = home_of(n.region); r != 0; r = g.regions[r].parent)
      if (g.regions[r].is_scan()) return false;
    if (operation_of(n.kind).of == family::loop) return false;
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      if (!is_leaf(from) && region_moves(g.nodes[from].region) && !hoisted[from]) return false;
    }
    return true;
  }
  /// Whether a node's region is part of the step: at the top, only what moves.
  constexpr bool region_moves(int region) const {
    for (; region != 0; region = g.regions[region].parent)
      if (moving_region[region]) return true;
    return false;
  }
  constexpr bool is_leaf(int id) const {
    return g.nodes[id].kind == op::parameter || g.nodes[id].kind == op::constant;
  }
  /// Whether the step computes a node: what moves, what loops over it need, and what depends on no input.
  constexpr bool in_step(int id) const {
    return moves[id] || is_leaf(id) || (region_moves(g.nodes[id].region) && !hoisted[id]) ||
           (!given[id] && g.nodes[id].region == 0 && g.nodes[id].kind != op::repeat_output &&
            g.nodes[id].kind != op::scan_output);
  }
};

} // namespace fovea::core::detail
