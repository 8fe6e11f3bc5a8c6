#pragma once

#include <cstdint>
#include <initializer_list>

#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/stream_rules.hpp>

namespace fovea::core::detail {

/// Writes the nodes of one graph into another. What depends on the number of a position, but has no batch
/// axis, is given one where each row of the batch may stand at a position of its own.
struct stream_writer : stream_rules {
  graph_view view = view_of_tables(g);
  std::uint16_t row_axis = 0;     // the batch, as a dim of both graphs; 0: there is none
  std::uint16_t batch = 0;        // the same where each row may stand at a position of its own, else 0
  bool rows_mixed = false;        // what is kept of the rows lies otherwise than one row behind the other
  bool rows_refused = false;      // the error is that rows cannot stand at positions of their own
  std::int32_t mapped[most] = {}; // the node of `to` that stands for one of g
  bool lifted[most] = {};         // it has the batch as a further first axis
  bool mixed[most] = {};          // a loop carries it, and leaves rows elsewhere
  bool by_rows[most] = {};        // its first axis is the batch, or has it outside of a number of parts

  constexpr stream_writer(const graph& of, graph& made, std::uint16_t along, bool rows_apart = false)
      : stream_rules(of, made, along) {
    copy_tables(to, g);
    for (int i = 0; row_axis == 0 && i < g.input_count; ++i) {
      const shape& s = g.nodes[g.inputs[i].node].shape;
      if (time_axis(g.inputs[i].node) > 0 && !g.is_number(s[0]) && g.dim_of(s[0]).is_symbol())
        row_axis = s[0];
    }
    if (row_axis != 0) find_rows();
    if (rows_apart) batch = row_axis;
  }

  constexpr bool has_rows(const shape& s) const { return batch != 0 && s.rank > 0 && s[0] == batch; }
  /// Whether the first axis of a node has the rows of the batch one behind the other: heads that are folded
  /// into it lie inside.
  constexpr bool keeps_batch_outside(int id) const {
    const node& n = g.nodes[id];
    if (n.shape.rank > 0 && n.shape[0] == row_axis) return true;
    const std::int64_t parts = n.shape.rank == 0 ? 0 : parts_of_rows(g, n.shape[0], g.dim_of(row_axis));
    if (parts == 0) return false;
    if (n.kind == op::carry) return !mixed[id];
    if (n.kind == op::repeat_output)
      return by_rows[g.regions[n.settings.carried.region].results[n.settings.carried.index]];
    if (n.kind == op::reshape) return by_rows[g.operand(id, 0)];
    if ((n.kind == op::permute && n.settings.permute.order[0] != 0) ||
        (n.kind == op::transpose && n.shape.rank == 2))
      return false;
    bool any = is_elementwise(n.kind) || n.kind == op::broadcast; // of what has no rows: the same for all
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      const shape& s = g.nodes[from].shape;
      if (s.rank == 0 || s[0] != n.shape[0]) continue;
      if (!by_rows[from]) return false;
      any = true;
    }
    return any;
  }
  /// What loops carry has rows where it begins with them and each pass leaves them.
  constexpr void find_rows() {
    for (bool changed = true; changed;) {
      changed = false;
      for (int id = 0; id < g.node_count; ++id) by_rows[id] = keeps_batch_outside(id);
      for (int r = 1; r < g.region_count; ++r)
        for (int k = 0; k < g.regions[r].carried; ++k) {
          const int id = g.regions[r].first + k;
          if (!by_rows[id] || (by_rows[g.operand(id, 0)] && by_rows[g.regions[r].results[k]])) continue;
          changed = true;
          mixed[id] = true;
        }
    }
  }
  constexpr bool refuse_rows(int number, int id, const char* why) {
    if (!to.error.empty()) return false;
    const node& n = g.nodes[id];
    to.current_scope = n.scope;
    rows_refused = true;
    to.fail(number, n.at, word_of(n), ": rows cannot stand at positions of their own along ", g.dim_of(time),
            ": ", why);
    return false;
  }
  /// How many axes of a node are of the batch, or of it and others.
  constexpr int axes_of_rows(int id) const {
    const shape& s = g.nodes[id].shape;
    int axes = 0;
    for (int axis = 0; row_axis != 0 && axis < s.rank; ++axis)
      axes += g.dim_of(s[axis]).mentions(g.dim_of(row_axis));
    return axes;
  }
  /// Whether the axes of a node tell which row of the batch a value is of: the first has the rows one behind
  /// the other, or a single axis is the batch.
  constexpr bool tells_rows(int id) const {
    const shape& s = g.nodes[id].shape;
    const int axes = axes_of_rows(id);
    if (by_rows[id] || axes == 0) return true;
    for (int axis = 0; axes == 1 && axis < s.rank; ++axis)
      if (s[axis] == row_axis) return true;
    return false;
  }
  /// Of what is kept, or goes by the positions of rows.
  constexpr bool keeps_rows(int id) {
    if (batch != 0)
      return by_rows[id] || refuse_rows(218, id, "the first axis of its values is not of rows of the batch");
    rows_mixed |= !by_rows[id] && axes_of_rows(id) > 0;
    return true;
  }

  /// A node of `to` in the scope of node `id` of g, where `to` stands.
  constexpr int beside(int id, op kind, shape s, std::initializer_list<std::int32_t> operands,
                       element type = element::f32, const node_settings& settings = {}) {
    const node& n = g.nodes[id];
    return add_node(
        to, {.kind = kind, .type = type, .shape = s, .scope = n.scope, .settings = settings, .at = n.at},
        operands);
  }
  /// A shape without the positions that are beside those of the dim: a step has none of them.
  constexpr shape shape_in_step(const shape& s) {
    shape made = s;
    for (int i = 0; i < s.rank; ++i)
      if (extras[s[i]] != 0) made[i] = to.intern(g.dim_of(s[i]) - extras[s[i]]);
    return made;
  }
  constexpr int copy(int id) {
    bool of_rows = false;
    for (int k = 0; k < g.nodes[id].operand_count; ++k) of_rows |= lifted[g.operand(id, k)];
    if (of_rows) return copy_of_rows(id);
    node made = g.nodes[id];
    made.shape = shape_in_step(made.shape);
    return add_in_place(to, made, view, id, [this](int k) { return mapped[k]; });
  }

  /// Node `id` of g where the number of a position is added to its values.
  constexpr int plus_position(int id, int position) {
    const int made = copy(id);
    const shape s = shape_in_step(g.nodes[id].shape);
    if (batch == 0) return beside(id, op::add, s, {made, position}, element::i32);
    if (!lifts(id)) return made;
    const int each = in_rank(id, shape{}, position, s.rank + 1, element::i32);
    return beside(id, op::add, rows_of(s), {made, each}, element::i32);
  }
  /// From now on node `id` has the batch as a further first axis.
  constexpr bool lifts(int id) {
    if (g.nodes[id].shape.rank == shape::max_rank)
      return refuse_rows(219, id, "it has as many axes as can be");
    return lifted[id] = true;
  }
  constexpr shape rows_of(const shape& s) const {
    shape made;
    made.push(batch);
    for (int axis = 0; axis < s.rank; ++axis) made.push(s[axis]);
    return made;
  }
  /// `made`, a value of the batch and then of shape s, with axes of 1 between them up to the given rank.
  constexpr int in_rank(int id, const shape& s, int made, int rank, element type) {
    if (s.rank + 1 == rank) return made;
    shape wide;
    wide.push(batch);
    for (int axis = s.rank + 1; axis < rank; ++axis) wide.push(to.intern(dim(1)));
    for (int axis = s.rank == rank ? 1 : 0; axis < s.rank; ++axis) wide.push(s[axis]); // a first axis of 1
    return beside(id, op::reshape, wide, {made}, type);
  }

private:
  constexpr int copy_of_rows(int id) {
    const node& n = g.nodes[id];
    const bool aligns = is_elementwise(n.kind) || n.kind == op::broadcast, rows = has_rows(n.shape);
    bool fits = aligns, of_bias = false;
    if (n.kind == op::reshape || n.kind == op::rope || n.kind == op::linear || n.kind == op::gather) {
      const int rows_in = n.kind == op::gather ? 1 : 0;
      fits = !rows;
      for (int k = 0; k < n.operand_count; ++k) fits &= lifted[g.operand(id, k)] == (k == rows_in);
    }
    if (n.kind == op::attention || n.kind == op::attention_map) {
      fits = of_bias = rows && n.settings.attention.has_bias && n.operand_count <= most_operands;
      for (int k = 0; k < n.operand_count; ++k) fits &= lifted[g.operand(id, k)] == (k == 3);
    }
    if (!fits) {
      refuse_rows(220, id, "it takes positions that have no batch axis");
      return 0;
    }
    if (!rows && !lifts(id)) return 0;
    node made = n;
    made.shape = rows ? shape_in_step(n.shape) : rows_of(shape_in_step(n.shape));
    std::int32_t operands[most_operands] = {};
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      operands[k] = mapped[from];
      if ((aligns || of_bias) && lifted[from])
        operands[k] = in_rank(id, shape_in_step(g.nodes[from].shape), operands[k],
                              of_bias ? 4 : made.shape.rank, g.nodes[from].type);
    }
    int next = 0;
    return add_in_place(to, made, view, id, [&](int) { return operands[next++]; });
  }
};

} // namespace fovea::core::detail
