#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/stream_writer.hpp>

namespace fovea {

/// From a model that is causal along a dim, the form that moves along it: two graphs of the same parameters.
/// `begin` computes once what does not depend on the dim; `step` takes the next positions, one or several,
/// and keeps between calls what later positions need: keys and values, the last inputs of convolutions, the
/// states of scans, and how many positions went before.
///   state     attributes: its number; what `keep`, of the same number, left in the call before
///   cache     attributes: its number, the axis of time, how many positions it keeps, 0: all of them, and
///             their rate, as positions_at has it; the positions that it keeps and then the
///             operand's. For a convolution and a delay it begins with `number`, for attention with none
///   position  how many positions went before, [] or, where the rows of a batch may stand apart, of each row

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

struct streamer : stream_writer {
  std::int32_t position = -1, beginning = -1, states = 0;

  constexpr streamer(const graph& of, graph& made, std::uint16_t along, bool rows_apart = false)
      : stream_writer(of, made, along, rows_apart) {
    copy_tables(to, g);
  }

  constexpr std::int32_t rate_of_moving(int id) const {
    return g.nodes[id].kind == op::time_index ? rates[g.regions[g.nodes[id].region].time] : rate_of(id);
  }
  /// How many positions of an axis of that rate went before.
  constexpr int position_at(int id, std::int32_t rate) {
    if (rate == 1) return position;
    const int each = beside(id, op::constant, shape{}, {}, 0, element::i32);
    to.nodes[each].number = rate > 0 ? rate : -rate;
    return beside(id, rate > 0 ? op::divide : op::multiply, to.nodes[position].shape, {position, each}, 0,
                  element::i32);
  }
  constexpr shape with_axis(shape s, int axis, const dim& size) {
    s[axis] = to.intern(size);
    return s;
  }

  /// Node `id` of operands that are of one time: what has come before its time waits.
  constexpr int aligned(int id) {
    const node& n = g.nodes[id];
    std::int32_t own[most_operands] = {};
    const int count = n.operand_count < most_operands ? n.operand_count : most_operands;
    for (int k = 0; k < count; ++k) own[k] = mapped[g.operand(id, k)];
    for (int k = 0; k < count && !counts_alone(n.kind); ++k)
      if (const std::int32_t by = delay(id, k); by > 0 && mapped[g.operand(id, k)] == own[k])
        mapped[g.operand(id, k)] = delayed(id, g.operand(id, k), by);
    const int made = moved(id);
    for (int k = 0; k < count; ++k) mapped[g.operand(id, k)] = own[k];
    return made;
  }
  /// Nodes that are outputs, of the model or of a pass of a loop.
  bool leaves[most] = {};
  constexpr void find_leaving() {
    for (int i = 0; i < g.output_count; ++i) leaves[g.outputs[i].node] = true;
    for (int r = 1; r < g.region_count; ++r)
      for (int k = 0; k < g.regions[r].carried; ++k) leaves[g.regions[r].results[k]] = true;
  }
  /// Brings a node that leaves to its own time.
  constexpr void settle(int id) {
    if (const shift_fault f = settled(id); f.kind != fault::none) {
      refuse_shift(id, f);
    } else if (const std::int32_t lead = shifts[id].lead; lead > 0) {
      mapped[id] = delayed(id, id, lead);
      shifts[id].wrong = shifts[id].wrong > lead ? shifts[id].wrong - lead : 0;
      shifts[id].lead = 0;
    }
  }
  constexpr int delayed(int id, int from, std::int32_t by) {
    if (!keeps_rows(from)) return mapped[from];
    const shape s = shape_in_step(g.nodes[from].shape);
    const int axis = time_axis(from);
    const int all = cached(id, with_axis(s, axis, to.dim_of(s[axis]) + by), from,
                           {axis, by, rate_of(from), shifts[from].number});
    return first_of(id, all, s, axis, g.nodes[from].type);
  }
  /// So many places as shape s has along an axis, from the first that a cache has; in order, as nothing else
  /// reads what has room between.
  constexpr int first_of(int id, int all, const shape& s, int axis, element type) {
    const int made = beside(id, op::slice, s, {all}, axis, type);
    to.nodes[made].attributes[1] = to.intern(dim(0));
    return made;
  }

  constexpr int moved(int id) {
    const node& n = g.nodes[id];
    if (pads_time(id) || cuts_time(id)) {
      lifted[id] = lifted[g.operand(id, 0)];
      return mapped[g.operand(id, 0)];
    }
    if ((n.kind == op::range && time_axis(id) >= 0) || (n.kind == op::time_index && moving_scan(n.region)))
      return plus_position(id, position_at(id, rate_of_moving(id)));
    const int made = [&] {
      if (is_pair(id)) return paired(id);
      if (n.kind == op::attention && time_axis(g.operand(id, 1)) >= 0) return attention(id);
      if (slides_along(id)) return convolution(id);
      return copy(id);
    }();
    if ((n.kind == op::rope || n.kind == op::sinusoidal) && time_axis(id) >= 0) {
      to.nodes[made].second_number = rate_of(id); // counts from `before`
      if (n.kind == op::sinusoidal && batch != 0 && lifts(id))
        to.nodes[made].shape = rows_of(shape_in_step(n.shape));
      if (n.kind == op::rope && !lifted[id]) keeps_rows(id);
    }
    if (n.kind == op::input) {
      to.nodes[made].attributes[0] = to.input_count;
      to.inputs[to.input_count++] = {g.inputs[n.attributes[0]].name, made};
    }
    if (n.kind == op::repeat_output && moving_scan(n.attributes[1]))
      beside(id, op::keep, n.shape, {made}, scan_state(n.attributes[1]) + n.attributes[0]);
    return made;
  }
  /// Keys and values, and what is said of keys by bias and tables, are appended to those before them, of
  /// which a window keeps the last. Tables that are read by queries alone have the rows of the new ones.
  constexpr int attention(int id) {
    const node& n = g.nodes[id];
    const std::int32_t window = window_of(id);
    const std::int32_t rate = rate_of(id);
    const dim before = window > 0 ? last_positions(window, rate) : positions_before_at(rate);
    std::int32_t kept[most_operands] = {};
    if (n.operand_count > most_operands) {
      refuse(id, "its lambdas read too many tables");
      return 0;
    }
    for (int k = 1; k < n.operand_count; ++k) {
      const int from = g.operand(id, k), axis = time_axis(from);
      if (axis < 0 || is_pair(from) || is_of_queries(id, k)) continue;
      const shape& s = g.nodes[from].shape;
      if (!keeps_rows(from)) return 0;
      kept[k] = cached(id, with_axis(s, axis, before + g.dim_of(s[axis])), from, {axis, window, rate});
    }
    const int made = copy(id);
    for (int k = 1; k < n.operand_count; ++k)
      if (kept[k] != 0) to.operands[to.nodes[made].first_operand + k] = kept[k];
    return made;
  }
  /// Whether operand k of an attention is a table that its queries alone read.
  constexpr bool is_of_queries(int id, int k) const {
    const node& n = g.nodes[id];
    const int first_table = n.attributes[1] != 0 ? 4 : 3, of_score = tables_of(n.attributes[2]);
    if (k < first_table) return false;
    const bool by_score = k < first_table + of_score;
    const int capture = k - first_table - (by_score ? 0 : of_score);
    return query_axis(g.functions[n.attributes[by_score ? 2 : 3]], capture, g.operand(id, k)) >= 0;
  }
  /// What is of each query and each key: what keys give it is kept, as long as the attention keeps keys.
  constexpr int paired(int id) {
    const node& n = g.nodes[id];
    const std::int32_t window = keys_kept[id], rate = rate_of(id);
    const dim before = window > 0 ? last_positions(window, rate) : positions_before_at(rate);
    std::int32_t all[most_operands] = {};
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      if (lifted[from]) return refuse_rows(id, "it takes positions that have no batch axis");
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
    const int kept = cached(id, with_axis(n.shape, axis, room + added), from, {axis, window, rate});
    const int read = beside(id, op::slice, with_axis(n.shape, axis, before + added), {kept}, axis, n.type);
    to.nodes[read].attributes[1] = to.intern(room - before);
    return read;
  }
  struct cache_of {
    int axis;
    std::int32_t kept, rate;
    double first = 0;
  };
  constexpr int cached(int id, const shape& s, int from, const cache_of& c) {
    const int made = beside(id, op::cache, s, {mapped[from]}, states++, g.nodes[from].type);
    to.nodes[made].attributes[1] = c.axis;
    to.nodes[made].attributes[2] = c.kept;
    to.nodes[made].attributes[3] = c.rate;
    to.nodes[made].number = c.first;
    return made;
  }
  /// What the window sees of the positions before is kept, padding at first, and goes before the new ones.
  constexpr int convolution(int id) {
    const sliding_window& declared = g.windows[g.nodes[id].attributes[0]];
    sliding_window w = declared;
    const int axis = window_axis(id), from = g.operand(id, 0), along = time_axis(from);
    const std::int32_t kept = history(id);
    w.before[axis] =
        is_transposed(g.nodes[id].kind) ? w.before[axis] + (kept - lead_before(id)) * w.stride[axis] : 0;
    w.after[axis] = 0;
    int all = 0;
    if (kept > 0) {
      if (!keeps_rows(from)) return 0;
      const shape s = shape_in_step(g.nodes[from].shape);
      const shape longer = with_axis(s, along, to.dim_of(s[along]) + kept);
      all = cached(id, longer, from, {along, kept, rate_of(from), padding_of(id)});
      if (w.axes == 2 && axis == 1) all = first_of(id, all, longer, along, g.nodes[from].type);
    }
    const int made = copy(id);
    if (!(w == declared))
      to.nodes[made].attributes[0] = to.add_window(w, g.nodes[id].at, word_of(g.nodes[id]));
    if (kept > 0) to.operands[to.nodes[made].first_operand] = all;
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
      if (!keeps_rows(id)) return;
      const int kept = beside(id, op::state, n.shape, {}, scan_states[region] + k, n.type);
      to.nodes[kept].region = static_cast<std::uint8_t>(outer);
      resumed[k] = kept; // zeros at the beginning
      if (is_zero(g.operand(id, 0))) continue;
      const int first =
          batch == 0 ? beginning : in_rank(id, shape{}, beginning, n.shape.rank, element::boolean);
      if (first != beginning) to.nodes[first].region = static_cast<std::uint8_t>(outer);
      resumed[k] = beside(id, op::where, n.shape, {first, mapped[g.operand(id, 0)], kept}, 0, n.type);
      to.nodes[resumed[k]].region = static_cast<std::uint8_t>(outer);
    }
  }
  std::int32_t resumed[region_entry::max_carried] = {};

  constexpr void make_step() {
    find_leaving();
    const shape each = batch == 0 ? shape{} : rows_of(shape{});
    position = emit({.kind = op::position, .type = element::i32, .shape = each}, {});
    const int zero = emit({.kind = op::constant, .type = element::i32}, {});
    beginning = emit({.kind = op::equal, .type = element::boolean, .shape = each}, {position, zero});
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
          mapped[id] = moves[id] ? aligned(id) : copy(id);
        }
        if (to.error.empty() && leaves[id]) settle(id);
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
    for (int r = 1; r < g.region_count; ++r)
      for (int k = 0; k < g.regions[r].carried; ++k)
        if (lifted[g.regions[r].results[k]])
          refuse_rows(g.regions[r].results[k], "a loop carries positions that have no batch axis");
    for (int i = 0; i < g.output_count; ++i)
      if (is_pair(g.outputs[i].node))
        refuse_pairs(g.outputs[i].node);
      else if (is_joined(g.outputs[i].node))
        refuse(g.outputs[i].node,
               "in an output positions share an axis with others; reshape them to an axis of their own");
    for (int i = 0; i < g.output_count; ++i)
      if (lifted[g.outputs[i].node])
        refuse_rows(g.outputs[i].node, "an output is of positions that have no batch axis");
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
};

/// What came of making a step.
struct stream_outcome {
  static constexpr int most_kept = 64;
  graph made;
  std::int32_t kept_from[most_kept] = {},
               kept_state[most_kept] = {}; // nodes of the source; numbers of states
  int kept_count = 0, states = 0, batch = 0;
  std::int64_t stride = 1;
  bool rows_refused = false, rows_mixed = false;
};

/// The step of a declaration, whose graph is `source::built`, along `time`, with rows at positions of their
/// own or all at one.
template <class source, dim time, bool rows_apart>
struct streaming_attempt {
  static constexpr stream_outcome result = [] {
    stream_outcome o;
    o.made.current_scope = 0;
    const std::uint16_t along = dim_of_graph(source::built, time);
    if (along == 0) {
      o.made.fail(source::built.latest, "stream: the model has no dim ", time);
      return o;
    }
    streamer pass{source::built, o.made, along, rows_apart};
    pass.make_step();
    if (pass.kept_count > o.most_kept)
      o.made.fail(source::built.latest, "stream: a model keeps at most ", o.most_kept,
                  " values that do not depend on ", time, ", found ", pass.kept_count);
    o.kept_count = o.made.error.empty() ? pass.kept_count : 0;
    for (int i = 0; i < o.kept_count; ++i) {
      o.kept_from[i] = pass.kept_values[i].from;
      o.kept_state[i] = o.made.nodes[pass.kept_values[i].state].attributes[0];
    }
    o.states = pass.states;
    o.batch = pass.batch;
    o.stride = pass.stride;
    o.rows_refused = pass.rows_refused;
    o.rows_mixed = pass.rows_mixed;
    return o;
  }();
};

/// The step, with rows at positions of their own where the declaration allows it.
template <class source, dim time>
struct streamed_step {
  static constexpr bool rows_apart = !streaming_attempt<source, time, true>::result.rows_refused;
  static constexpr const auto& result = streaming_attempt<source, time, rows_apart>::result;
  static constexpr const graph& built = result.made;
  static constexpr sentence error = built.error;
  static constexpr const char* call = "step";
};

/// The sentence for what rows of a stream do by themselves; empty where they can.
template <class source, dim time>
struct checked_rows {
  static constexpr sentence check() {
    if constexpr (!streamed_step<source, time>::rows_apart)
      return streaming_attempt<source, time, true>::result.made.error;
    sentence s;
    if (streamed_step<source, time>::result.batch == 0)
      s << "stream: no input has a batch axis before " << time
        << ", known at run time, of which to take a row";
    return s;
  }
  static constexpr sentence error = check();
};

/// The sentence for why rows of a stream cannot change places; empty where they can.
template <class source, dim time>
struct checked_order {
  static constexpr sentence check() {
    if constexpr (streamed_step<source, time>::result.rows_mixed)
      return streaming_attempt<source, time, true>::result.made.error;
    return {};
  }
  static constexpr sentence error = check();
};

/// The graph of what does not depend on `time`.
template <class source, dim time>
struct streamed_begin {
  using step = streamed_step<source, time>;
  static constexpr const char* call = "begin";
  static constexpr graph built = [] {
    graph made;
    streamer pass{source::built, made, dim_of_graph(source::built, time)};
    pass.make_begin(step::result.kept_from, step::result.kept_state, step::result.kept_count);
    return made;
  }();
};

} // namespace detail

} // namespace fovea
