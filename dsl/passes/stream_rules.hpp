#pragma once

#include <cstdint>

#include <fovea/dsl/passes/stream_motion.hpp>

namespace fovea::detail {

/// Whether each operation may move along the dim; the first that may not is the error of `to`.
struct stream_rules : stream_motion {
  graph& to;

  constexpr stream_rules(const graph& of, graph& made, std::uint16_t along)
      : stream_motion(of, along), to(made) {}

  constexpr bool refuse(int id, const char* why) {
    const node& n = g.nodes[id];
    to.current_scope = n.scope;
    const char* word = word_of(n);
    const bool of_loss = same_text(word, "cross_entropy") || same_text(word, "mse");
    to.fail(n.at, word, ": cannot be streamed along ", g.dim_of(time), ": ",
            of_loss ? "a loss is of all positions; stream a model without it, over the same body" : why);
    return false;
  }

  constexpr bool checked(int id) {
    const node& n = g.nodes[id];
    const int axis = time_axis(id);
    const auto axis_of = [&](int k) { return time_axis(g.operand(id, k)); };
    for (int i = 0; i < n.shape.rank; ++i)
      if (has_time(n.shape[i]) && rates[n.shape[i]] == 0)
        return refuse(id, "an axis of its result is no longer one for each position");
    if (time_axes(id) > 1) return refuse(id, "its result has two axes of positions");
    bool of_positions = axis >= 0;
    for (int k = 0; k < n.operand_count; ++k) {
      of_positions |= axis_of(k) >= 0;
      if (ends[g.operand(id, k)] && (axis >= 0 || inside_moving_scan(n.region)) && !counts_alone(n.kind))
        return refuse(id, "all positions read what is known after the last of them");
    }
    if (inside_moving_scan(n.region)) {
      for (int k = 0; k < n.operand_count; ++k)
        if (axis_of(k) >= 0 && n.kind != op::time_step)
          return refuse(id, "a step of the scan reads all positions");
      return true;
    }
    if (!of_positions) return true;
    switch (n.kind) {
      case op::input:
      case op::carry:
      case op::repeat_output:
      case op::stack:
      case op::scan_output:
      case op::time_step:
      case op::range:
        return true;
      case op::sinusoidal:
      case op::rope:
        return axis == n.shape.rank - 2 || refuse(id, "positions are not its last axis but one");
      case op::attention:
      case op::attention_map:
        return attention_fits(id);
      case op::max_pool:
      case op::avg_pool:
        return window_fits(id);
      default:
        break;
    }
    if (is_convolution(n.kind) && !is_transposed(n.kind)) return window_fits(id);
    const char* why = is_last(id) ? nullptr : mixes(id);
    return why == nullptr || refuse(id, why);
  }
  constexpr bool attention_fits(int id) {
    const node& n = g.nodes[id];
    const auto axis_from_last = [&](int k) {
      return time_axis(g.operand(id, k)) - g.nodes[g.operand(id, k)].shape.rank;
    };
    const auto moves_at = [&](int k) { return time_axis(g.operand(id, k)) >= 0; };
    const bool over_others = !moves_at(1) && !moves_at(2);
    if (over_others && sees_positions(id))
      return refuse(id, "its score or mask compares positions with other keys");
    if (axis_from_last(0) != -2 || (!over_others && (axis_from_last(1) != -2 || axis_from_last(2) != -2 ||
                                                     rate_of(g.operand(id, 0)) != rate_of(g.operand(id, 1)))))
      return refuse(id, "queries, keys and values do not all move along it");
    if (!over_others && (n.attributes[3] < 0 || g.functions[n.attributes[3]].looks_ahead))
      return refuse(id, "a query may see later keys; join its mask with causal or window");
    int next = 3;
    if (n.attributes[1] != 0) {
      const int bias = next++;
      if (moves_at(bias) && axis_from_last(bias) != (over_others ? -2 : -1))
        return refuse(id, over_others ? "its bias has positions that are not its queries"
                                      : "its bias has positions that are not its keys alone");
    }
    for (const int which : {2, 3}) {
      if (n.attributes[which] < 0) continue;
      const scalar_function& f = g.functions[n.attributes[which]];
      for (int capture = 0; capture < f.capture_count; ++capture, ++next)
        if (moves_at(next) && (over_others || axis_from_last(next) != -1 || !reads_by_position(f, capture)))
          return refuse(id,
                        "a table of its lambdas has positions, and is not read by those of queries and keys");
    }
    return true;
  }
  /// Whether a lambda reads a table along its last axis where the query or the key is, and nowhere else.
  constexpr bool reads_by_position(const scalar_function& f, int capture) const {
    for (int i = 0; i < f.count; ++i) {
      const scalar_node& n = f.nodes[i];
      if (n.kind != op::table_at || n.capture != capture) continue;
      const op by = f.nodes[n.operands[n.operand_count - 1]].kind;
      if (by != op::query_position && by != op::key_position) return false;
    }
    return true;
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
  /// A window may see what lies between its place and the next, which come together, and what was before.
  constexpr bool window_fits(int id) {
    const node& n = g.nodes[id];
    const int axis = window_axis(id);
    if (axis < 0) return time_axis(id) >= 0 || refuse(id, "it sums over positions");
    const sliding_window& w = g.windows[n.attributes[0]];
    const int before = w.before[axis], span = w.span(axis);
    if (span > before + w.stride[axis] || span <= before + w.after[axis])
      return refuse(id, n.kind == op::conv1d ? "it sees later positions; use .padding = causal"
                                             : "its windows see later positions");
    return n.kind != op::avg_pool || before == 0 || n.attributes[1] != 0 ||
           refuse(id, "its first means leave out what lies before; use .count_padding = true");
  }
};

} // namespace fovea::detail
