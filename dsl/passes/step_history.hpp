#pragma once

#include <cstdint>

#include <fovea/dsl/passes/step_values.hpp>

namespace fovea::core::detail {

/// The operations that see positions before those of a step, and keep them: attention, what is of each query
/// and key, convolutions, running sums.
struct step_history : step_values {
  using step_values::step_values;

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
    keeps_newest(id);
    const node_settings kept{.entry = {states++}};
    const int before = beside(id, op::state, row, {}, element::f32, kept);
    const int made = beside(id, op::add, s, {here, before});
    const int last = beside(id, op::slice, row, {made}, element::f32,
                            {.slice = {axis, to.intern(to.dim_of(s[axis]) - 1)}});
    beside(id, op::keep, row, {last}, element::f32, kept);
    return made;
  }
};

} // namespace fovea::core::detail
