#pragma once

#include <cstdint>

#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/stream_writer.hpp>
#include <fovea/dsl/stream_rate.hpp>

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

/// The sizes of a step: how many positions went before it.
inline constexpr dim positions_before{"(before)"};
/// How many of the last `most` positions there were, of an axis of that rate.
constexpr dim last_positions(std::int32_t most, std::int32_t rate) {
  char name[dim::max_name + 1] = "(";
  int at = 1;
  const auto write = [&](std::int32_t number) {
    char digits[dim::max_name + 1] = {};
    int count = 0;
    for (; number > 0; number /= 10) digits[count++] = static_cast<char>('0' + number % 10);
    while (count > 0) name[at++] = digits[--count];
  };
  write(most);
  name[at++] = rate > 0 ? ':' : '*';
  write(rate > 0 ? rate : -rate);
  name[at] = ')';
  return dim::symbol(name);
}
/// How many positions of an axis of that rate went before.
constexpr dim positions_before_at(std::int32_t rate) {
  return rate > 0 ? positions_before / rate : positions_before * dim(-rate);
}

namespace detail {

/// Writes what a step does.
struct step_writer : stream_writer {
  std::int32_t position = -1, beginning = -1, states = 0;

  constexpr step_writer(const graph& of, graph& made, std::uint16_t along, bool rows_apart = false)
      : stream_writer(of, made, along, rows_apart) {}

  constexpr std::int32_t rate_of_moving(int id) const {
    return g.nodes[id].kind == op::time_index ? rates[g.regions[g.nodes[id].region].time] : rate_of(id);
  }
  constexpr int number(int id, double value, element type) {
    return beside(id, op::constant, shape{}, {}, type, {.number = value});
  }
  /// How many positions of an axis of that rate went before.
  constexpr int position_at(int id, std::int32_t rate) {
    if (rate == 1) return position;
    const int each = number(id, rate > 0 ? rate : -rate, element::i32);
    return beside(id, rate > 0 ? op::divide : op::multiply, to.nodes[position].shape, {position, each},
                  element::i32);
  }
  constexpr shape with_axis(shape s, int axis, const dim& size) {
    s[axis] = to.intern(size);
    return s;
  }

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
  /// The value of node `from` so many positions later; beside node `id`.
  constexpr int delayed(int id, int from, std::int32_t by) {
    if (by == 0 || (!lifted[from] && !keeps_rows(from))) return mapped[from];
    const shape each = shape_in_step(g.nodes[from].shape), s = lifted[from] ? rows_of(each) : each;
    const int axis = time_axis(from) + lifted[from];
    const int all = cached(id, with_axis(s, axis, to.dim_of(s[axis]) + by), from, mapped[from],
                           {.axis = axis, .kept = by, .rate = rate_of(from), .first = shifts[from].number});
    return first_of(id, all, s, axis, g.nodes[from].type);
  }
  /// Whether positions of a dim that have come to this lead lie outside of the sequence; of the shape of
  /// these positions, with 1 for the axes behind them.
  constexpr int outside(int id, const shape& s, int axis, std::uint16_t along, std::int32_t lead) {
    shape mask;
    if (batch != 0) mask.push(batch);
    for (int i = 1; batch != 0 && i < axis; ++i) mask.push(to.intern(dim(1)));
    mask.push(s[axis]);
    for (int i = axis + 1; i < s.rank; ++i) mask.push(to.intern(dim(1)));
    const int made =
        beside(id, op::outside, mask, {}, element::boolean,
               {.outside = {.axis = batch != 0 ? axis : 0, .rate = rates[along], .extra = extras[along]}});
    to.nodes[made].lag = lag_of(g.nodes[id].region, lead);
    return made;
  }
  /// A value of node `from`, which has come to this lead, with a number in place of what lies outside of the
  /// sequence; beside node `id`.
  constexpr int inside(int id, int from, int value, std::int32_t lead, double filling) {
    const shape s = shape_in_step(g.nodes[from].shape);
    if (batch != 0 && (!has_rows(s) || lifted[from])) {
      refuse_rows(221, id, "the first axis of what comes late is not the batch");
      return value;
    }
    const element type = g.nodes[from].type;
    const int mask = outside(id, s, time_axis(from), positions[from], lead);
    return beside(id, op::where, s, {mask, number(id, filling, type), value}, type);
  }
  /// So many places as shape s has along an axis, from the first that a cache has; in order, as nothing else
  /// reads what has room between.
  constexpr int first_of(int id, int all, const shape& s, int axis, element type) {
    return beside(id, op::slice, s, {all}, type, {.slice = {axis, to.intern(dim(0))}});
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
  /// Keys and values, and what is said of keys by bias and tables, are appended to those before them, of
  /// which a window keeps the last. Tables that are read by queries alone have the rows of the new ones,
  /// which come later than the keys where their mask looks ahead.
  constexpr int attention(int id) {
    const node& n = g.nodes[id];
    const std::int32_t keys = key_lead(id), queries = query_lead(id), seen = window_of(id);
    const std::int32_t window = seen > 0 ? seen + keys - queries : 0;
    const std::int32_t rate = rate_of(id);
    const dim before = window > 0 ? last_positions(window, rate) : positions_before_at(rate);
    std::int32_t kept[most_operands] = {};
    if (n.operand_count > most_operands) {
      refuse(222, id, "its lambdas read too many tables");
      return 0;
    }
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k), axis = time_axis(from);
      if (axis < 0 || is_pair(from)) continue;
      kept[k] = delayed(id, from, delay(id, k));
      if (is_of_queries(id, k)) continue;
      const shape& s = g.nodes[from].shape;
      if (!keeps_rows(from)) return 0;
      kept[k] = cached(id, with_axis(s, axis, before + g.dim_of(s[axis])), from, kept[k],
                       {.axis = axis, .kept = window, .rate = rate});
      to.nodes[kept[k]].lag = lag_of(n.region, keys);
    }
    const int made = copy(id);
    for (int k = 0; k < n.operand_count; ++k)
      if (kept[k] != 0) to.operands[to.nodes[made].first_operand + k] = kept[k];
    to.nodes[made].lag = lag_of(n.region, queries);
    return made;
  }
  /// What is of each query and each key: what keys give it is kept, as long as the attention keeps keys.
  constexpr int paired(int id) {
    const node& n = g.nodes[id];
    const std::int32_t window = keys_kept[id], rate = rate_of(id);
    const dim before = window > 0 ? last_positions(window, rate) : positions_before_at(rate);
    std::int32_t all[most_operands] = {};
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      if (lifted[from]) return refuse_rows(223, id, "it takes positions that have no batch axis");
      if (is_of_keys(id, k)) all[k] = all_keys(id, from, window, rate);
    }
    const int made = copy(id);
    to.nodes[made].shape = with_axis(n.shape, key_axis[id], before + g.dim_of(n.shape[key_axis[id]]));
    for (int k = 0; k < n.operand_count; ++k)
      if (all[k] != 0) to.operands[to.nodes[made].first_operand + k] = all[k];
    return made;
  }
  /// The values that keys had before, and then those of the new ones.
  constexpr int all_keys(int id, int from, std::int32_t window, std::int32_t rate) {
    if (!keeps_rows(from)) return 0;
    const node& n = g.nodes[from];
    const int axis = time_axis(from);
    const dim added = g.dim_of(n.shape[axis]);
    const dim before = window > 0 ? last_positions(window, rate) : positions_before_at(rate);
    const dim room = window > 0 ? dim(window) : before; // of which the window has not all at first
    const int kept = cached(id, with_axis(n.shape, axis, room + added), from, mapped[from],
                            {.axis = axis, .kept = window, .rate = rate});
    return beside(id, op::slice, with_axis(n.shape, axis, before + added), {kept}, n.type,
                  {.slice = {axis, to.intern(room - before)}});
  }
  /// A value of node `from` behind those that it had before.
  constexpr int cached(int id, const shape& s, int from, int value, cache_settings cache) {
    cache.index = states++;
    return beside(id, op::cache, s, {value}, g.nodes[from].type, {.cache = cache});
  }
  /// What the window sees of the positions before is kept, padding at first, and goes before the new ones.
  /// Where it waits for later ones, or its input does, what lies outside of the sequence is padding.
  constexpr int convolution(int id) {
    const sliding_window& declared = g.windows[g.nodes[id].settings.window.index];
    sliding_window w = declared;
    const int axis = window_axis(id), from = g.operand(id, 0), along = time_axis(from);
    const std::int32_t kept = history(id), lead = lead_before(id), later = shifts[id].lead;
    w.before[axis] =
        is_transposed(g.nodes[id].kind) ? w.before[axis] + later + (kept - lead) * w.stride[axis] : 0;
    w.after[axis] = 0;
    int all = mapped[from];
    const bool pads = declared.padding(axis) > 0 || is_transposed(g.nodes[id].kind);
    if (pads && (lead < 0 || later < 0)) all = inside(id, from, all, lead, padding_of(id));
    if (kept > 0) {
      if (!keeps_rows(from)) return 0;
      const shape s = shape_in_step(g.nodes[from].shape);
      const shape longer = with_axis(s, along, to.dim_of(s[along]) + kept);
      all = cached(id, longer, from, all,
                   {.axis = along, .kept = kept, .rate = rate_of(from), .first = padding_of(id)});
      if (w.axes == 2 && axis == 1) all = first_of(id, all, longer, along, g.nodes[from].type);
    }
    const int made = copy(id);
    if (!(w == declared))
      to.nodes[made].settings.window.index = to.add_window(w, g.nodes[id].at, word_of(g.nodes[id]));
    to.operands[to.nodes[made].first_operand] = all;
    return made;
  }
  /// The sums of the new positions behind the last one before them, which is kept. Nothing is added where
  /// positions lie outside of the sequence.
  constexpr int summed_on(int id) {
    const int from = g.operand(id, 0), axis = time_axis(id), given_value = mapped[from];
    if (!keeps_rows(from)) return 0;
    const std::int32_t lead = shifts[id].lead;
    if (const lag late = lag_of(g.nodes[id].region, lead); late.positions > 0 || late.each_layer > 0)
      mapped[from] = inside(id, from, given_value, lead, 0);
    const int here = copy(id);
    mapped[from] = given_value;
    const shape s = shape_in_step(g.nodes[id].shape), row = with_axis(s, axis, 1);
    const node_settings kept{.entry = {states++}};
    const int before = beside(id, op::state, row, {}, element::f32, kept);
    const int made = beside(id, op::add, s, {here, before});
    const int last = beside(id, op::slice, row, {made}, element::f32,
                            {.slice = {axis, to.intern(to.dim_of(s[axis]) - 1)}});
    beside(id, op::keep, row, {last}, element::f32, kept);
    return made;
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
  }
  /// An output, as late as the latest; zeros where it lies outside of the sequence.
  constexpr int given_out(int id) {
    if (positions[id] == 0) return mapped[id];
    const std::int32_t late = late_at(id);
    const int made = delayed(id, id, shifts[id].lead + late);
    return late == 0 ? made : inside(id, id, made, -late, 0);
  }
  /// How late outputs come, in positions of node `id`.
  constexpr std::int32_t late_at(int id) const {
    return static_cast<std::int32_t>(positions_at(rate_of(id), latency));
  }
};

} // namespace detail

} // namespace fovea::core
