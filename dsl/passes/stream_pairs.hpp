#pragma once

#include <cstdint>

#include <fovea/dsl/passes/kept_window.hpp>
#include <fovea/dsl/passes/stream_motion.hpp>

namespace fovea::core::detail {

/// Which values are of each query and each key, as the scores of an attention by any expression are: of their
/// two axes of positions one has the new queries, the other all keys that the attention keeps.
struct stream_pairs : stream_motion {
  std::int8_t key_axis[most] = {};   // of such a value; -1: it is none
  std::int32_t keys_kept[most] = {}; // as kept_window counts them
  bool pairs_differ[most] = {};      // attentions of different axes or windows read it

  constexpr stream_pairs(const graph& of, std::uint16_t along) : stream_motion(of, along) {
    for (int id = 0; id < g.node_count; ++id) key_axis[id] = -1;
    for (int id = g.node_count - 1; id >= 0; --id) {
      if (!live[id]) continue;
      const node& n = g.nodes[id];
      if (n.kind == op::attention && has_pairs(id))
        mark(g.operand(id, 3), g.nodes[g.operand(id, 3)].shape.rank - 1, window_of(id));
      if (key_axis[id] < 0) continue;
      for (int k = 0; k < n.operand_count; ++k)
        if (time_axes(g.operand(id, k)) > 1)
          mark(g.operand(id, k), axis_in_operand(id, k, key_axis[id]), keys_kept[id]);
    }
  }

  constexpr bool is_pair(int id) const { return key_axis[id] >= 0; }
  /// The axis of queries of a value of pairs.
  constexpr int query_axis_of(int id) const {
    for (int axis = 0; axis < g.nodes[id].shape.rank; ++axis)
      if (axis != key_axis[id] && has_time(g.nodes[id].shape[axis])) return axis;
    return -1;
  }
  /// Whether operand k of a value of pairs has the keys as its only axis of positions.
  constexpr bool is_of_keys(int id, int k) const {
    return time_axes(g.operand(id, k)) == 1 && axis_in_operand(id, k, key_axis[id]) >= 0;
  }
  /// Whether each axis of positions of an operand is one of the result's two.
  constexpr bool fits_pair(int id, int k) const {
    const int keys = axis_in_operand(id, k, key_axis[id]),
              queries = axis_in_operand(id, k, query_axis_of(id));
    return time_axes(g.operand(id, k)) == (keys >= 0) + (queries >= 0);
  }

  /// How many positions an attention keeps of its keys, as kept_window counts them.
  constexpr std::int32_t window_of(int id) const {
    const attention_settings& o = g.nodes[id].settings.attention;
    if (o.score >= 0 &&
        !counts_distances_only(g.functions[o.score], query_axes_of(id, o.score, o.first_table())))
      return 0;
    if (o.mask < 0) return 0;
    return kept_window(g.functions[o.mask], query_axes_of(id, o.mask, o.first_table() + tables_of(o.score)));
  }
  constexpr int tables_of(int function) const {
    return function < 0 ? 0 : g.functions[function].capture_count;
  }
  /// Whether a lambda reads a table along its positions by one of two numbers everywhere.
  constexpr bool reads_by(const scalar_function& f, int capture, int table, op one, op other) const {
    for (int i = 0; i < f.count; ++i) {
      const scalar_node& n = f.nodes[i];
      if (n.kind != op::table_at || n.capture != capture) continue;
      const op by = f.nodes[n.operands[time_axis(table)]].kind;
      if (by != one && by != other) return false;
    }
    return true;
  }
  /// The axis along which a lambda reads a table by its query alone: a step then has the rows of the new
  /// queries. Else -1.
  constexpr int query_axis(const scalar_function& f, int capture, int table) const {
    const bool by_query =
        time_axis(table) >= 0 && reads_by(f, capture, table, op::query_position, op::query_position);
    return by_query ? time_axis(table) : -1;
  }
  /// Whether an attention's keys move along the dim.
  constexpr bool attends(int id) const {
    return g.nodes[id].kind == op::attention && time_axis(g.operand(id, 1)) >= 0;
  }
  /// Whether scores are given to an attention for each of its queries and keys.
  constexpr bool has_pairs(int id) const {
    return g.nodes[id].settings.attention.has_bias && time_axes(g.operand(id, 3)) > 1;
  }
  /// Whether operand k of an attention is of its queries: they, and tables that they alone read.
  constexpr bool is_of_queries(int id, int k) const {
    const attention_settings& o = g.nodes[id].settings.attention;
    const int first_table = o.first_table(), of_score = tables_of(o.score);
    if (k < first_table) return k == 0;
    const bool by_score = k < first_table + of_score;
    const int capture = k - first_table - (by_score ? 0 : of_score);
    return query_axis(g.functions[by_score ? o.score : o.mask], capture, g.operand(id, k)) >= 0;
  }
  /// How many later keys a query sees at most, or any_number_ahead.
  constexpr std::int64_t keys_ahead(int id) const {
    const int mask = g.nodes[id].settings.attention.mask;
    return mask < 0 ? any_number_ahead : farthest_ahead(g.functions[mask]);
  }
  /// The query axes of the tables of one lambda of an attention, whose operands these are from `next` on.
  constexpr query_axes query_axes_of(int id, int function, int next) const {
    query_axes axes;
    const scalar_function& f = g.functions[function];
    for (int capture = 0; capture < f.capture_count; ++capture)
      axes.of[capture] = query_axis(f, capture, g.operand(id, next + capture));
    return axes;
  }

private:
  constexpr void mark(int id, int axis, std::int32_t kept) {
    if (axis < 0) return;
    pairs_differ[id] |= is_pair(id) && (key_axis[id] != axis || keys_kept[id] != kept);
    key_axis[id] = static_cast<std::int8_t>(axis);
    keys_kept[id] = kept;
  }
  /// Where an axis of positions of a node's result is in an operand; -1: it is not there.
  constexpr int axis_in_operand(int id, int k, int axis) const {
    const node& n = g.nodes[id];
    const shape& s = g.nodes[g.operand(id, k)].shape;
    const auto from_last = [&](int i) { return i >= 0 && has_time(s[i]) ? i : -1; };
    const int aligned = axis - n.shape.rank + s.rank;
    switch (operation_of(n.kind).positions) {
      case over::each:
        return from_last(aligned);
      case over::features:
        return k == 0 && axis < s.rank - 1 ? axis : -1;
      case over::along:
      case over::running:
        return axis_along(n) != axis ? axis : -1;
      case over::reduced:
        return s.rank == n.shape.rank || axis_along(n) > axis ? axis : axis + 1;
      case over::rows:
        return k == 1 && axis < s.rank ? axis : -1;
      case over::matrices: // rows are the left side's, columns the right side's
        if (axis >= n.shape.rank - 2) return axis == n.shape.rank - 2 + k ? from_last(s.rank - 2 + k) : -1;
        return from_last(aligned);
      case over::turned:
        if (n.kind == op::permute) return n.settings.permute.order[axis];
        return axis < s.rank - 2 ? axis : 2 * s.rank - 3 - axis;
      case over::window:
      case over::other:
        break;
    }
    return n.kind == op::reshape ? axis_before_reshape(id, axis) : -1;
  }
  /// The same of a reshape, which leaves both axes as they are with as much before each.
  constexpr int axis_before_reshape(int id, int axis) const {
    const shape &from = g.nodes[g.operand(id, 0)].shape, &to = g.nodes[id].shape;
    int before = 0; // how many axes of positions come first
    for (int i = 0; i < axis; ++i) before += has_time(to[i]);
    for (int i = 0; i < from.rank; ++i)
      if (has_time(from[i]) && before-- == 0)
        return from[i] == to[axis] && size_before(from, i) == size_before(to, axis) ? i : -1;
    return -1;
  }
};

} // namespace fovea::core::detail
