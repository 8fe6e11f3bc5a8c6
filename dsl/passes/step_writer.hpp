#pragma once

#include <cstdint>

#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/step_history.hpp>

namespace fovea::core {

/// From a model that is causal along a dim, the form that moves along it: two graphs of the same parameters.
/// `begin` computes once what does not depend on the dim; `step` takes the next positions, one or several,
/// and keeps between calls what later positions need: keys and values, the last inputs of convolutions, the
/// states of scans, and how many positions went before.
///   state     what `keep`, of the same index, left in the call before
///   cache     the positions that it keeps and then the operand's. For a convolution and a delay it begins
///             with `first`, for attention with none
///   position  how many positions went before, [] or, where the rows of a batch may stand apart, of each row
///   outside   whether a position lies before the first or behind the last of the sequence, [.., positions,
///             1 ...], with the rows of the batch before them where these may stand apart
/// What waits for later positions is so many behind those that a step is given as its lag says.

namespace detail {

/// Writes what a step does.
struct step_writer : step_history {
  using step_history::step_history;

  /// By how many positions operand k waits. The last position does so for the latest output: that of the
  /// sequence has come when the last of all outputs have.
  constexpr std::int32_t wait(int id, int k) const {
    const int from = g.operand(id, k);
    return is_last(id) && latency > 0 ? shifts[from].lead + late_at(from) : delay(id, k);
  }
  /// Node `id` of operands that are of one time: what has come before its time waits.
  constexpr int aligned(int id) {
    const node& n = g.nodes[id];
    const bool waits_itself = counts_alone(n.kind) || n.kind == op::carry || n.kind == op::time_step ||
                              n.kind == op::repeat_output || attends(id);
    std::int32_t own[most_operands] = {};
    const int count = n.operand_count < most_operands ? n.operand_count : most_operands;
    for (int k = 0; k < count; ++k) own[k] = mapped[g.operand(id, k)];
    for (int k = 0; k < count && !waits_itself; ++k)
      if (const std::int32_t by = wait(id, k); by > 0 && mapped[g.operand(id, k)] == own[k])
        mapped[g.operand(id, k)] = delayed(id, g.operand(id, k), by);
    const int made = moved(id);
    for (int k = 0; k < count; ++k) mapped[g.operand(id, k)] = own[k];
    return made;
  }
  constexpr int moved(int id) {
    const node& n = g.nodes[id];
    if (pads_time(id) || cuts_time(id)) {
      const int from = g.operand(id, 0);
      lifted[id] = lifted[from];
      if (const std::int32_t lead = lead_before(id);
          pads_time(id) && (lead < 0 || (latency > 0 && n.settings.pad.after > 0)))
        return inside(id, from, mapped[from], lead, n.settings.pad.value);
      return mapped[from];
    }
    if (n.kind == op::range && time_axis(id) >= 0)
      return plus_position(id, position_at(id, rate_of_moving(id)));
    if (n.kind == op::time_index && moving_scan(n.region))
      return plus_position(id, scanned_position(id, base[n.region]));
    const int made = [&] {
      if (is_pair(id)) return paired(id);
      if (attends(id)) return attention(id);
      if (slides_along(id)) return convolution(id);
      if (runs_along(id)) return summed_on(id);
      return copy(id);
    }();
    if ((n.kind == op::rope || n.kind == op::sinusoidal) && time_axis(id) >= 0) {
      node_settings& settings = to.nodes[made].settings; // counts from `before`
      (n.kind == op::rope ? settings.rope.rate : settings.sinusoidal.rate) = rate_of(id);
      if (n.kind == op::sinusoidal && batch != 0 && lifts(id))
        to.nodes[made].shape = rows_of(shape_in_step(n.shape));
      if (n.kind == op::rope && !lifted[id]) keeps_rows(id);
      if (n.kind == op::rope) to.nodes[made].lag = lag_of(n.region, shifts[id].lead);
    }
    if (n.kind == op::carry || (n.kind == op::time_step && moving_scan(n.settings.time.region)))
      to.operands[to.nodes[made].first_operand] = taken[id];
    if (n.kind == op::repeat_output) {
      const auto [index, region] = n.settings.carried;
      to.operands[to.nodes[made].first_operand] = to.regions[region].results[index];
      if (moving_scan(region))
        beside(id, op::keep, n.shape, {made}, element::f32, {.entry = {scan_state(region) + index}});
    }
    return made;
  }
  /// How many positions went before that of a scan whose sequences have come to this lead.
  constexpr int scanned_position(int id, std::int32_t lead) {
    const std::int32_t rate = rate_of_moving(id);
    const int before = position_at(id, rate);
    if (lead == 0) return before;
    return beside(id, op::add, to.nodes[position].shape, {before, number(id, lead, element::i32)},
                  element::i32);
  }
  std::int32_t scan_states[graph::max_regions] = {};
  constexpr std::int32_t scan_state(int region) const { return scan_states[region]; }

  constexpr bool is_zero(int id) const {
    while (g.nodes[id].kind == op::broadcast) id = g.operand(id, 0);
    return g.nodes[id].kind == op::constant && g.nodes[id].settings.number == 0;
  }
  /// Whether a scan keeps its state at positions outside of the sequence: its sequences come late, or its
  /// last state is asked for while others of its model come late.
  constexpr bool freezes(int region) const {
    return moving_scan(region) && (base[region] < 0 || (latency > 0 && ends_leave));
  }
  std::int32_t taken[most] = {};              // for what a loop carries or scans what it takes
  std::int32_t idle[graph::max_regions] = {}; // of a scan that freezes: whether it does at each position

  /// What a loop takes is brought to one time.
  constexpr void before(int region) {
    const region_entry& r = g.regions[region];
    for (int id = r.first; id < r.last; ++id)
      if (const node& n = g.nodes[id]; (n.kind == op::carry && n.region == region) ||
                                       (n.kind == op::time_step && n.settings.time.region == region))
        taken[id] = moves[id] ? delayed(id, g.operand(id, 0), delay(id, 0)) : mapped[g.operand(id, 0)];
    if (freezes(region)) {
      shape s;
      if (batch != 0) s.push(batch);
      s.push(r.time);
      idle[region] = outside(r.first, s, batch != 0 ? 1 : 0, r.time, base[region]);
    }
    if (moving_scan(region)) resume(region);
  }
  /// A scan along the dim goes on from the state of the step before; at the beginning from its first one.
  constexpr void resume(int region) {
    const region_entry& r = g.regions[region];
    scan_states[region] = states;
    states += r.carried;
    if (r.carried > 0) keeps_newest(r.first);
    for (int k = 0; k < r.carried; ++k) {
      const int id = r.first + k;
      const node& n = g.nodes[id];
      if (!keeps_rows(id)) return;
      const int kept = beside(id, op::state, n.shape, {}, n.type, {.entry = {scan_states[region] + k}});
      taken[id] = kept; // zeros at the beginning
      if (is_zero(g.operand(id, 0))) continue;
      const int first =
          batch == 0 ? beginning : in_rank(id, shape{}, beginning, n.shape.rank, element::boolean);
      taken[id] = beside(id, op::where, n.shape, {first, mapped[g.operand(id, 0)], kept}, n.type);
    }
  }
  /// What a pass of a loop leaves for the next one, at the time of what that takes; of a scan that freezes,
  /// what it took.
  constexpr void last(int region) {
    const region_entry& r = g.regions[region];
    if (mapped[r.first] < 0) return; // nothing of it is in a step
    int now = 0;
    if (freezes(region)) {
      const int axis = batch != 0 ? 1 : 0;
      now = beside(r.first, op::time_step, batch != 0 ? rows_of(shape{}) : shape{}, {idle[region]},
                   element::boolean, {.time = {axis, region}});
    }
    for (int k = 0; k < r.carried; ++k) {
      const int carry = r.first + k, id = r.results[k];
      const shape& s = g.nodes[carry].shape;
      std::int32_t& left = to.regions[region].results[k];
      if (freezes(region)) {
        if (batch != 0 && !has_rows(s))
          refuse_rows(224, carry, "the first axis of its state is not the batch");
        const int each = batch == 0 ? now : in_rank(carry, shape{}, now, s.rank, element::boolean);
        left = beside(carry, op::where, s, {each, mapped[carry], mapped[id]}, g.nodes[carry].type);
      } else if (positions[id] != 0 && moves[id]) {
        left = delayed(carry, id, shifts[id].lead - base[region] - drift[region]);
      }
    }
  }
  constexpr std::int32_t write(int id) {
    const node& n = g.nodes[id];
    if (is_leaf(id) || (live[id] && in_step(id))) return moves[id] ? aligned(id) : copy(id);
    if (!live[id] || (n.region != 0 && !hoisted[id])) return -1;
    // Computed by `begin`.
    const int made = beside(id, op::state, n.shape, {}, n.type, {.entry = {unread}});
    kept_values[kept_count++] = {id, made};
    return made;
  }

  constexpr void run() {
    if (!find_shifts()) return;
    const shape each = batch == 0 ? shape{} : rows_of(shape{});
    position = add_node(to, {.kind = op::position, .type = element::i32, .shape = each}, {});
    const int zero =
        add_node(to, {.kind = op::constant, .type = element::i32, .settings = {.number = 0}}, {});
    beginning = add_node(to, {.kind = op::equal, .type = element::boolean, .shape = each}, {position, zero});
    write_graph(to, view, *this);
    check_what_leaves();
    write_outputs(to, view, [this](int id) { return given_out(id); });
    if (to.error.empty()) drop_unread();
  }
  /// The values that `begin` hands over, as nodes of g and of the step.
  struct kept_value {
    std::int32_t from = 0, state = 0;
  };
  static constexpr std::int32_t unread = -1;
  kept_value kept_values[most] = {};
  int kept_count = 0;

  constexpr void drop_unread() {
    bool read[most] = {};
    for (int i = 0; i < to.operand_count; ++i) read[to.operands[i]] = true;
    for (int i = 0; i < to.output_count; ++i) read[to.outputs[i].node] = true;
    for (int r = 0; r < to.region_count; ++r)
      for (int k = 0; k < to.regions[r].carried; ++k) read[to.regions[r].results[k]] = true;
    int still_read = 0;
    for (int i = 0; i < kept_count; ++i)
      if (read[kept_values[i].state]) {
        const int from = kept_values[i].from;
        if (axes_of_rows(from) > 0) keeps_rows(from); // others are the same for all rows
        kept_values[still_read] = kept_values[i];
        to.nodes[kept_values[still_read].state].settings.entry.index = states++;
        ++still_read;
      }
    kept_count = still_read;
  }

  constexpr void check_what_leaves() {
    for (int r = 1; r < g.region_count; ++r)
      for (int k = 0; k < g.regions[r].carried; ++k)
        if (lifted[g.regions[r].results[k]])
          refuse_rows(225, g.regions[r].results[k], "a loop carries positions that have no batch axis");
    for (int i = 0; i < g.output_count; ++i)
      if (is_pair(g.outputs[i].node))
        refuse_pairs(g.outputs[i].node);
      else if (is_joined(g.outputs[i].node))
        refuse(226, g.outputs[i].node,
               "in an output positions share an axis with others; reshape them to an axis of their own");
    for (int i = 0; i < g.output_count; ++i)
      if (lifted[g.outputs[i].node])
        refuse_rows(227, g.outputs[i].node, "an output is of positions that have no batch axis");
    for (int i = 0; i < g.output_count; ++i)
      if (batch != 0 && !tells_rows(g.outputs[i].node))
        refuse_rows(252, g.outputs[i].node,
                    "the axes of an output do not tell which row its values are of; let the batch be an axis "
                    "of its own");
  }
  /// An output, as late as the latest; zeros where it lies outside of the sequence.
  constexpr int given_out(int id) {
    if (positions[id] == 0) return mapped[id];
    const std::int32_t late = late_at(id);
    const int made = delayed(id, id, shifts[id].lead + late);
    return late == 0 ? made : inside(id, id, made, -late, 0);
  }
};

} // namespace detail

} // namespace fovea::core
