#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/passes/kept_window.hpp>
#include <fovea/dsl/plan/extent.hpp>

namespace fovea {

/// From a model that is causal along a dim, the form that moves along it: two graphs of the same parameters.
/// `begin` computes once what does not depend on the dim; `step` takes the next positions, one or several,
/// and keeps between calls what later positions need: keys and values, the last inputs of convolutions, the
/// states of scans, and how many positions went before.
///   state     attributes: its number; what `keep`, of the same number, left in the call before
///   cache     attributes: its number, the axis of time, and how many positions it keeps, 0: all of them;
///             the positions that it keeps and then the operand's. For a convolution it begins with zeros,
///             for attention with none
///   position  how many positions went before

/// The sizes of a step: how many positions went before it.
inline constexpr dim positions_before{"(before)"};
/// How many of the last `most` positions there were.
constexpr dim last_positions(std::int32_t most) {
  char digits[dim::max_name + 1] = {}, name[dim::max_name + 1] = "(last ";
  int count = 0, at = 6;
  for (; most > 0; most /= 10) digits[count++] = static_cast<char>('0' + most % 10);
  while (count > 0) name[at++] = digits[--count];
  name[at] = ')';
  return dim::symbol(name);
}

namespace detail {

struct streamer {
  static constexpr int most = graph::max_nodes;

  const graph& g;
  graph& to;
  std::uint16_t time;
  bool live[most] = {}, moves[most] = {},
       given[most] = {}; // an output needs it; depends on the dim; on an input
  bool moving_region[graph::max_regions] = {};
  bool hoisted[most] = {}; // inside a loop that moves: the same at every step, so that `begin` computes it
  std::int32_t mapped[most] = {}; // the node of `to` that stands for one of g
  std::int32_t position = -1, beginning = -1, states = 0;

  // What depends on the dim
  // ---------------------------------------------------------------------------------------------------------

  constexpr bool has_time(std::uint16_t d) const {
    if (g.is_number(d)) return false;
    const dim& form = g.forms[-1 - g.dim_numbers[d]];
    const dim& symbol = g.forms[-1 - g.dim_numbers[time]];
    for (int i = 0; i < form.atom_count; ++i)
      if (form.atoms[i].divisor == 0 && same_text(form.atoms[i].symbol, symbol.atoms[0].symbol)) return true;
    return false;
  }
  /// The axis of a node that is the dim, or -1.
  constexpr int time_axis(int id) const {
    const shape& s = g.nodes[id].shape;
    for (int i = 0; i < s.rank; ++i)
      if (s[i] == time) return i;
    return -1;
  }
  constexpr bool moving_scan(int region) const { return g.regions[region].time == time; }
  constexpr bool inside_moving_scan(int region) const {
    for (; region != 0; region = g.regions[region].parent)
      if (moving_scan(region)) return true;
    return false;
  }

  constexpr void find_live() {
    for (int i = 0; i < g.input_count; ++i) live[g.inputs[i].node] = true; // given, needed or not
    for (int i = 0; i < g.output_count; ++i) live[g.outputs[i].node] = true;
    for (int id = g.node_count - 1; id >= 0; --id) {
      const node& n = g.nodes[id];
      if (!live[id]) continue;
      for (int k = 0; k < n.operand_count; ++k) live[g.operand(id, k)] = true;
      if (n.kind != op::repeat_output && n.kind != op::scan_output) continue;
      const region_entry& r = g.regions[n.attributes[1]];
      for (int k = 0; k < r.carried; ++k) live[r.first + k] = live[r.results[k]] = true;
    }
    // The last state of a scan is kept, whether an output needs it or not.
    for (int id = 0; id < g.node_count; ++id) {
      const node& n = g.nodes[id];
      if (n.kind == op::repeat_output && moving_scan(n.attributes[1]) &&
          live[g.regions[n.attributes[1]].first])
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
        if (n.kind == op::carry) now |= moves[g.regions[n.region].results[n.attributes[0]]];
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
    switch (n.kind) {
      case op::carry:
      case op::repeat_output:
      case op::scan_output:
      case op::time_step:
      case op::time_index:
      case op::stack:
        return false;
      default:
        break;
    }
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

  // Whether each operation may move along the dim
  // ---------------------------------------------------------------------------------------------------------

  constexpr bool refuse(int id, const char* why) {
    const node& n = g.nodes[id];
    to.current_scope = n.scope;
    const bool of_scan = n.kind == op::carry && g.regions[n.region].is_scan();
    to.fail(n.at, of_scan ? "scan" : word_of(n.kind), ": cannot be streamed along ", g.dim_of(time), ": ",
            why);
    return false;
  }

  constexpr bool checked(int id) {
    const node& n = g.nodes[id];
    const int axis = time_axis(id);
    const auto of = [&](int k) { return g.operand(id, k); };
    const auto axis_of = [&](int k) { return time_axis(of(k)); };
    int axes = 0;
    for (int i = 0; i < n.shape.rank; ++i) {
      axes += has_time(n.shape[i]);
      if (has_time(n.shape[i]) && n.shape[i] != time)
        return refuse(id, "an axis of its result is no longer one for each position");
    }
    if (axes > 1) return refuse(id, "its result has two axes of positions");
    if (inside_moving_scan(n.region)) {
      for (int k = 0; k < n.operand_count; ++k)
        if (axis_of(k) >= 0 && n.kind != op::time_step)
          return refuse(id, "a step of the scan reads all positions");
      return true;
    }
    if (is_elementwise(n.kind)) {
      for (int k = 0; k < n.operand_count; ++k)
        if (axis_of(k) >= 0 && axis_of(k) - g.nodes[of(k)].shape.rank != axis - n.shape.rank)
          return refuse(id, "positions meet other axes");
      return true;
    }
    const int last = n.shape.rank - 1;
    switch (n.kind) {
      case op::input:
      case op::carry:
      case op::repeat_output:
      case op::stack:
      case op::scan_output:
      case op::time_step:
      case op::range:
      case op::permute:
      case op::transpose:
      case op::broadcast:
        return true;
      case op::linear:
        return axis_of(0) != g.nodes[of(0)].shape.rank - 1 || refuse(id, "it sums over positions");
      case op::matmul:
        if (axis_of(1) >= 0) return refuse(id, "its right side has positions");
        return axis_of(0) != g.nodes[of(0)].shape.rank - 1 || refuse(id, "it sums over positions");
      case op::gather:
        return !moves[of(0)] || refuse(id, "its table has positions");
      case op::layer_norm:
      case op::rms_norm:
      case op::batch_norm:
        return axis != last || refuse(id, "it norms over positions");
      case op::softmax:
      case op::log_softmax:
      case op::concat:
      case op::reverse:
      case op::slice:
      case op::pad:
        return n.attributes[0] != axis_of(0) || refuse(id, "it works along positions");
      case op::sum:
      case op::mean:
      case op::max_over:
      case op::min_over:
      case op::argmax:
        return n.attributes[0] != axis_of(0) || refuse(id, "it needs all positions");
      case op::reshape: {
        const shape& from = g.nodes[of(0)].shape;
        extent before, after;
        for (int i = 0; i < axis_of(0); ++i) multiply(before, from[i]);
        for (int i = 0; i < axis; ++i) multiply(after, n.shape[i]);
        return (before.factor == after.factor && same_dims(before, after)) ||
               refuse(id, "positions do not stay an axis of their own");
      }
      case op::sinusoidal:
      case op::rope:
        return axis == last - 1 || refuse(id, "positions are not its last axis but one");
      case op::attention: {
        if (axis_of(1) < 0 && axis_of(2) < 0)
          return !sees_positions(id) || refuse(id, "its score or mask compares positions with other keys");
        if (axis_of(0) != last - 1 || axis_of(1) != last - 1 || axis_of(2) != last - 1)
          return refuse(id, "queries, keys and values do not all move along it");
        if (n.attributes[3] < 0 || g.functions[n.attributes[3]].looks_ahead)
          return refuse(id, "a query may see later keys; join its mask with causal or window");
        for (int k = 3; k < n.operand_count; ++k)
          if (axis_of(k) >= 0) return refuse(id, "its bias or a table of its lambdas has positions");
        return true;
      }
      default:
        if (is_convolution(n.kind) && !is_transposed(n.kind)) return convolution_fits(id);
        return refuse(id, "it has no form that takes some positions at a time");
    }
  }
  constexpr void multiply(extent& e, std::uint16_t d) const {
    if (g.is_number(d))
      e.factor *= g.number(d);
    else
      e.dims[e.count++] = d;
  }
  constexpr bool sees_positions(int id) const {
    for (const int which : {2, 3}) {
      const int f = g.nodes[id].attributes[which];
      if (f < 0) continue;
      const scalar_function& from = g.functions[f];
      for (int i = 0; i < from.count; ++i)
        for (int k = 0; k < from.nodes[i].operand_count; ++k)
          if (from.nodes[from.nodes[i].operands[k]].kind == op::query_position) return true;
    }
    return false;
  }
  /// Which axis of its window the dim is; -1: none.
  constexpr int window_axis(int id) const {
    const sliding_window& w = g.windows[g.nodes[id].attributes[0]];
    const int from_last = g.nodes[id].shape.rank - 2 - time_axis(g.operand(id, 0));
    return from_last < w.axes && from_last >= 0 ? 1 - from_last : -1;
  }
  constexpr bool convolution_fits(int id) {
    const int axis = window_axis(id);
    if (axis < 0) return time_axis(id) >= 0 || refuse(id, "it sums over positions");
    const sliding_window& w = g.windows[g.nodes[id].attributes[0]];
    if (w.stride[axis] != 1) return refuse(id, "its stride along it is not 1");
    return (w.after[axis] == 0 && w.before[axis] == w.span(axis) - 1) ||
           refuse(id, "it sees later positions; use .padding = causal");
  }

  // Making the graphs
  // ---------------------------------------------------------------------------------------------------------

  constexpr int emit(node made, std::initializer_list<std::int32_t> operands) {
    made.first_operand = to.operand_count;
    made.operand_count = static_cast<std::uint8_t>(operands.size());
    for (std::int32_t from : operands) to.operands[to.operand_count++] = from;
    to.nodes[to.node_count] = made;
    return to.node_count++;
  }
  /// A node of `to` where node `id` of g was, with other operands.
  constexpr int beside(int id, op kind, shape s, std::initializer_list<std::int32_t> operands,
                       std::int32_t first_attribute = 0, element type = element::f32) {
    const node& n = g.nodes[id];
    return emit({.kind = kind,
                 .type = type,
                 .region = n.region,
                 .shape = s,
                 .scope = n.scope,
                 .attributes = {first_attribute},
                 .at = n.at},
                operands);
  }
  constexpr int copy(int id) {
    node made = g.nodes[id];
    made.first_operand = to.operand_count;
    for (int k = 0; k < made.operand_count; ++k) to.operands[to.operand_count++] = mapped[g.operand(id, k)];
    to.nodes[to.node_count] = made;
    return to.node_count++;
  }
  constexpr shape with_axis(shape s, int axis, const dim& size) {
    s[axis] = to.intern(size);
    return s;
  }

  constexpr int moved(int id) {
    const node& n = g.nodes[id];
    const auto plus_position = [&](int made) {
      return beside(id, op::add, n.shape, {made, position}, 0, element::i32);
    };
    if ((n.kind == op::range && time_axis(id) >= 0) || (n.kind == op::time_index && moving_scan(n.region)))
      return plus_position(copy(id));
    const int made = [&] {
      if (n.kind == op::attention && time_axis(g.operand(id, 1)) >= 0) return attention(id);
      if (is_convolution(n.kind) && window_axis(id) >= 0) return convolution(id);
      return copy(id);
    }();
    if ((n.kind == op::rope || n.kind == op::sinusoidal) && time_axis(id) >= 0)
      to.nodes[made].second_number = 1; // counts from `before`
    if (n.kind == op::input) {
      to.nodes[made].attributes[0] = to.input_count;
      to.inputs[to.input_count++] = {g.inputs[n.attributes[0]].name, made};
    }
    if (n.kind == op::repeat_output && moving_scan(n.attributes[1]))
      beside(id, op::keep, n.shape, {made}, scan_state(n.attributes[1]) + n.attributes[0]);
    return made;
  }
  /// Keys and values are appended to those before them, of which a window keeps the last.
  constexpr int attention(int id) {
    const node& n = g.nodes[id];
    const bool by_distance = n.attributes[2] < 0 || counts_distances_only(g.functions[n.attributes[2]]);
    const std::int32_t window = by_distance ? kept_window(g.functions[n.attributes[3]]) : 0;
    const dim before = window > 0 ? last_positions(window) : positions_before;
    std::int32_t kept[2] = {};
    for (const int k : {1, 2}) {
      const int from = g.operand(id, k);
      const shape& s = g.nodes[from].shape;
      kept[k - 1] =
          beside(id, op::cache, with_axis(s, s.rank - 2, before + g.dim_of(time)), {mapped[from]}, states++);
      to.nodes[kept[k - 1]].attributes[1] = s.rank - 2;
      to.nodes[kept[k - 1]].attributes[2] = window;
    }
    const int made = copy(id);
    to.operands[to.nodes[made].first_operand + 1] = kept[0];
    to.operands[to.nodes[made].first_operand + 2] = kept[1];
    return made;
  }
  /// What the window sees of the positions before is kept, zeros at first, and goes before the new ones.
  constexpr int convolution(int id) {
    sliding_window w = g.windows[g.nodes[id].attributes[0]];
    const int axis = window_axis(id), from = g.operand(id, 0), along = time_axis(from);
    const int before = w.before[axis];
    if (before == 0) return copy(id);
    const int all = beside(id, op::cache, with_axis(g.nodes[from].shape, along, g.dim_of(time) + before),
                           {mapped[from]}, states++);
    to.nodes[all].attributes[1] = along;
    to.nodes[all].attributes[2] = before;
    w.before[axis] = 0;
    const int made = copy(id);
    to.nodes[made].attributes[0] = to.add_window(w, g.nodes[id].at, word_of(g.nodes[id].kind));
    to.operands[to.nodes[made].first_operand] = all;
    return made;
  }
  std::int32_t scan_states[graph::max_regions] = {};
  constexpr std::int32_t scan_state(int region) const { return scan_states[region]; }

  constexpr bool is_zero(int id) const {
    while (g.nodes[id].kind == op::broadcast) id = g.operand(id, 0);
    return g.nodes[id].kind == op::constant && g.nodes[id].number == 0;
  }
  /// A scan along the dim goes on from the state of the step before; at the beginning from its first one.
  constexpr void resume(int region) {
    const region_entry& r = g.regions[region];
    scan_states[region] = states;
    states += r.carried;
    for (int k = 0; k < r.carried; ++k) {
      const int id = r.first + k;
      const node& n = g.nodes[id];
      const int outer = r.parent;
      const int kept = beside(id, op::state, n.shape, {}, scan_states[region] + k, n.type);
      to.nodes[kept].region = static_cast<std::uint8_t>(outer);
      resumed[k] = kept; // zeros at the beginning
      if (is_zero(g.operand(id, 0))) continue;
      resumed[k] = beside(id, op::where, n.shape, {beginning, mapped[g.operand(id, 0)], kept}, 0, n.type);
      to.nodes[resumed[k]].region = static_cast<std::uint8_t>(outer);
    }
  }
  std::int32_t resumed[region_entry::max_carried] = {};

  constexpr void make_step() {
    position = emit({.kind = op::position, .type = element::i32}, {});
    const int zero = emit({.kind = op::constant, .type = element::i32}, {});
    beginning = emit({.kind = op::equal, .type = element::boolean}, {position, zero});
    for (int id = 0; id < g.node_count && to.error.empty(); ++id) {
      const node& n = g.nodes[id];
      if (n.region != 0 && id == g.regions[n.region].first) {
        if (moving_scan(n.region)) {
          if (g.regions[n.region].reversed) {
            refuse(id, "it runs from the last position to the first");
            return;
          }
          resume(n.region);
        }
        to.regions[n.region].first = to.node_count;
      }
      if (is_leaf(id) || (live[id] && in_step(id))) {
        if (moves[id] && !checked(id)) return;
        if (n.kind == op::carry && moving_scan(n.region)) {
          mapped[id] = copy(id);
          to.operands[to.nodes[mapped[id]].first_operand] = resumed[n.attributes[0]];
        } else {
          mapped[id] = moves[id] ? moved(id) : copy(id);
        }
      } else if (live[id] && (n.region == 0 || hoisted[id])) {
        // Computed by `begin`.
        mapped[id] = beside(id, op::state, n.shape, {}, unread, n.type);
        kept_values[kept_count++] = {id, mapped[id]};
      }
      close_regions(id);
    }
    drop_unread();
    finish();
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
    for (int i = 0; i < g.output_count; ++i) read[mapped[g.outputs[i].node]] = true;
    for (int r = 0; r < g.region_count; ++r)
      for (int k = 0; k < g.regions[r].carried; ++k) read[mapped[g.regions[r].results[k]]] = true;
    int left = 0;
    for (int i = 0; i < kept_count; ++i)
      if (read[kept_values[i].state]) {
        kept_values[left] = kept_values[i];
        to.nodes[kept_values[left].state].attributes[0] = states++;
        ++left;
      }
    kept_count = left;
  }

  /// What stays of g: nodes that do not move, in the loops that they are in but for moving scans, each with
  /// what it keeps for the step behind it.
  constexpr void make_begin(const std::int32_t* kept, const std::int32_t* state_of, int count) {
    for (int id = 0; id < g.node_count; ++id) {
      const node& n = g.nodes[id];
      if (n.region != 0 && id == g.regions[n.region].first) to.regions[n.region].first = to.node_count;
      if (is_leaf(id) || hoisted[id] || (live[id] && !moves[id] && !region_moves(n.region))) {
        const int home = home_of(n.region);
        mapped[id] = copy(id);
        to.nodes[mapped[id]].region = static_cast<std::uint8_t>(home);
        if (n.kind == op::input) {
          to.nodes[mapped[id]].attributes[0] = to.input_count;
          to.inputs[to.input_count++] = {g.inputs[n.attributes[0]].name, mapped[id]};
        }
        for (int i = 0; i < count; ++i)
          if (kept[i] == id) {
            const int keep = beside(id, op::keep, n.shape, {mapped[id]}, state_of[i], n.type);
            to.nodes[keep].region = static_cast<std::uint8_t>(home);
          }
      }
      close_regions(id);
    }
    // What moving loops carry is the step's.
    for (int r = 1; r < g.region_count; ++r)
      if (moving_region[r]) to.regions[r].carried = 0;
    if (to.node_count == 0) emit({.kind = op::constant}, {}); // a graph has a node
    finish_tables();
  }

  constexpr void close_regions(int id) {
    for (int r = g.nodes[id].region; r != 0 && id == g.regions[r].last - 1; r = g.regions[r].parent)
      to.regions[r].last = to.node_count;
  }
  constexpr void finish() {
    for (int i = 0; i < g.output_count; ++i)
      to.outputs[to.output_count++] = {g.outputs[i].name, mapped[g.outputs[i].node]};
    finish_tables();
  }
  constexpr void finish_tables() {
    for (int i = 0; i < g.parameter_count; ++i) to.parameters[i].node = mapped[g.parameters[i].node];
    for (int r = 1; r < g.region_count; ++r)
      for (int k = 0; k < to.regions[r].carried; ++k)
        to.regions[r].results[k] = mapped[g.regions[r].results[k]];
  }

  /// The tables that stay as they are.
  constexpr void begin_tables() {
    const auto all = [](auto& table, const auto& from, int count) {
      for (int i = 0; i < count; ++i) table[i] = from[i];
    };
    all(to.dim_numbers, g.dim_numbers, g.dim_count), to.dim_count = g.dim_count;
    all(to.next_dim, g.next_dim, g.dim_count);
    all(to.dim_buckets, g.dim_buckets, graph::hash_buckets);
    all(to.dim_labels, g.dim_labels, g.dim_count);
    all(to.forms, g.forms, g.form_count), to.form_count = g.form_count;
    all(to.scopes, g.scopes, g.scope_count), to.scope_count = g.scope_count;
    all(to.parameters, g.parameters, g.parameter_count), to.parameter_count = g.parameter_count;
    all(to.regions, g.regions, g.region_count), to.region_count = g.region_count;
    all(to.functions, g.functions, g.function_count), to.function_count = g.function_count;
    all(to.windows, g.windows, g.window_count), to.window_count = g.window_count;
  }
  constexpr void prepare() {
    begin_tables();
    find_live();
    find_moving();
  }
  constexpr void run() {
    prepare();
    make_step();
  }
  constexpr void begin(const std::int32_t* kept, const std::int32_t* state_of, int count) {
    prepare();
    make_begin(kept, state_of, count);
  }
};

/// The id that a graph has given a symbol, or 0.
constexpr std::uint16_t dim_of_graph(const graph& g, const dim& symbol) {
  for (std::uint16_t d = 1; d < g.dim_count; ++d)
    if (!g.is_number(d) && g.dim_of(d) == symbol) return d;
  return 0;
}

/// The step of a declaration, whose graph is `source::built`, along `time`; what `begin` computes for it.
template <class source, dim time>
struct streamed_step {
  struct outcome {
    graph made;
    static constexpr int most_kept = 64;
    std::int32_t kept_from[most_kept] = {},
                 kept_state[most_kept] = {}; // nodes of the source; numbers of states
    int kept_count = 0, states = 0;
  };
  static constexpr outcome result = [] {
    outcome o;
    o.made.current_scope = 0;
    const std::uint16_t along = dim_of_graph(source::built, time);
    if (along == 0) {
      o.made.fail(source::built.latest, "stream: the model has no dim ", time);
      return o;
    }
    streamer pass{source::built, o.made, along};
    pass.run();
    if (pass.kept_count > outcome::most_kept)
      o.made.fail(source::built.latest, "stream: a model keeps at most ", outcome::most_kept,
                  " values that do not depend on ", time, ", found ", pass.kept_count);
    o.kept_count = o.made.error.empty() ? pass.kept_count : 0;
    for (int i = 0; i < o.kept_count; ++i) {
      o.kept_from[i] = pass.kept_values[i].from;
      o.kept_state[i] = o.made.nodes[pass.kept_values[i].state].attributes[0];
    }
    o.states = pass.states;
    return o;
  }();
  static constexpr const graph& built = result.made;
  static constexpr sentence error = built.error;
};

/// The graph of what does not depend on `time`.
template <class source, dim time>
struct streamed_begin {
  using step = streamed_step<source, time>;
  static constexpr graph built = [] {
    graph made;
    const std::uint16_t along = dim_of_graph(source::built, time);
    streamer pass{source::built, made, along};
    pass.begin(step::result.kept_from, step::result.kept_state, step::result.kept_count);
    return made;
  }();
};

} // namespace detail

} // namespace fovea
