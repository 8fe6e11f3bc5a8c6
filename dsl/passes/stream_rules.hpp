#pragma once

#include <cstdint>

#include <fovea/dsl/passes/stream_shifts.hpp>

namespace fovea::core::detail {

/// Whether each operation may move along the dim; the first that may not is the error of `to`.
struct stream_rules : stream_shifts {
  graph& to;
  static constexpr int most_operands = 16; // of attention, and of what gives pairs
  std::int64_t latency = 0;                // so many positions after what is given outputs come
  bool ends_leave = false;                 // an output is known after the last position

  constexpr stream_rules(const graph& of, graph& made, std::uint16_t along)
      : stream_shifts(of, along), to(made) {}

  // Templates stand before the members that use them: clang cannot evaluate them at compile time otherwise.
  template <class... parts>
  constexpr bool refuse(int number, int id, const parts&... why) {
    const node& n = g.nodes[id];
    to.current_scope = n.scope;
    const char* word = word_of(n);
    if (same_text(word, "cross_entropy") || same_text(word, "ctc_loss") || same_text(word, "rnnt_loss") ||
        same_text(word, "mse"))
      to.fail(230, n.at, word, ": cannot be streamed along ", g.dim_of(time),
              ": a loss is of all positions; stream a model without it, over the same body");
    else
      to.fail(number, n.at, word, ": cannot be streamed along ", g.dim_of(time), ": ", why...);
    return false;
  }

  /// Finds where all values lie against the dim; false where one of them cannot move along it.
  constexpr bool find_shifts() {
    for (int id = 0; id < g.node_count; ++id) {
      const int region = g.nodes[id].region;
      if (region != 0 && id == g.regions[region].first && !opens(region)) return false;
      if ((is_leaf(id) || (live[id] && in_step(id))) && moves[id] && !checked(id)) return false;
      for (int r = region; r != 0 && id == g.regions[r].last - 1; r = g.regions[r].parent)
        if (!closes(r)) return false;
    }
    for (int i = 0; i < g.output_count; ++i) {
      const int id = g.outputs[i].node;
      ends_leave |= ends[id];
      if (const shift_fault f = settled(id); f.kind != fault::none) return refuse_shift(id, f);
      if (positions[id] != 0) comes_later(-shifts[id].lead, rate_of(id));
    }
    // What is known after the last position is so once that has come.
    for (int id = 0; id < g.node_count; ++id) {
      const node& n = g.nodes[id];
      if (!live[id] || !in_step(id) || !ends[id]) continue;
      if (is_last(id)) comes_later(-shifts[g.operand(id, 0)].lead, rate_of(g.operand(id, 0)));
      if (n.kind != op::repeat_output) continue;
      if (const int region = n.settings.carried.region; moving_scan(region))
        comes_later(-base[region], rates[g.regions[region].time]);
    }
    latency = (latency + stride - 1) / stride * stride;
    return latency <= most_behind || refuse_shift(g.outputs[0].node, {fault::far});
  }
  /// All outputs come as late as what is so many of its own positions behind.
  constexpr void comes_later(std::int64_t behind, std::int64_t rate) {
    if (behind <= 0) return;
    const std::int64_t later = rate > 0 ? behind * rate : (behind - rate - 1) / -rate;
    if (later > latency) latency = later;
  }
  constexpr bool opens(int region) {
    const region_entry& r = g.regions[region];
    if (moving_scan(region)) {
      if (r.reversed) return refuse(232, r.first, "it runs from the last position to the first");
      for (int id = r.first; id < r.last; ++id)
        if (const node& n = g.nodes[id]; n.kind == op::time_step && n.settings.time.region == region)
          if (const shift_fault f = settled(g.operand(id, 0)); f.kind != fault::none)
            return refuse_shift(g.operand(id, 0), f);
    }
    find_base(region);
    return true;
  }
  /// What a pass of a loop leaves is at the time of what the next one takes, or comes later from layer to
  /// layer.
  constexpr bool closes(int region) {
    const region_entry& r = g.regions[region];
    std::int32_t least = base[region];
    for (int k = 0; k < r.carried; ++k) {
      const int id = r.results[k];
      if (!moves[id] || positions[id] == 0) continue;
      if (const shift_fault f = settled(id); f.kind != fault::none) return refuse_shift(id, f);
      if (shifts[id].lead < least) least = shifts[id].lead;
    }
    drift[region] = least - base[region];
    return drift[region] == 0 || layers_fit(region);
  }
  /// Whether all that moves in a repeat whose layers look ahead comes as much later from layer to layer.
  constexpr bool layers_fit(int region) {
    const region_entry& r = g.regions[region];
    for (int outer = r.parent; outer != 0; outer = g.regions[outer].parent)
      if (moving_region[outer])
        return refuse(233, r.first,
                      "its layers look ahead inside another loop; write the layers of one of them out");
    std::int32_t rate = 0;
    for (int id = r.first; id < r.last; ++id) {
      const node& n = g.nodes[id];
      if (!live[id] || !moves[id]) continue;
      if (counts_alone(n.kind) || n.kind == op::time_index)
        return refuse(234, id,
                      "it counts positions in layers that look ahead, which come later in each of them; ",
                      "count them outside, and carry them");
      if (positions[id] == 0) continue;
      if (rate == 0) rate = rate_of(id);
      if (rate_of(id) != rate)
        return refuse(235, id,
                      "the layers look ahead, and have positions of two rates; write the layers out");
      for (int k = 0; k < n.operand_count && (n.kind != op::carry || n.region != region); ++k)
        if (const int from = g.operand(id, k); from < r.first && positions[from] != 0)
          return refuse(236, id,
                        "it reads positions of outside in layers that look ahead, which come later in ",
                        "each of them; let the layers carry them");
    }
    return true;
  }

  constexpr bool checked(int id) {
    const node& n = g.nodes[id];
    const int axis = time_axis(id);
    const auto axis_of = [&](int k) { return time_axis(g.operand(id, k)); };
    if (time_axes(id) > 1) return pair_fits(id);
    if (axis >= 0 && (rate_of(id) == 0 || (n.kind == op::input && extra_of(id) != 0)))
      return refuse(237, id, "its axis ", g.dim_of(n.shape[axis]), " is not ", g.dim_of(time), ", nor ",
                    g.dim_of(time), " divided or multiplied by a number");
    bool of_positions = axis >= 0, joined = is_joined(id);
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      if (time_axes(from) > 1 && (n.kind != op::attention || k != 3)) return refuse_pairs(id);
      of_positions |= axis_of(k) >= 0;
      joined |= is_joined(from);
      if (ends[from] && (axis >= 0 || inside_moving_scan(n.region)) && !counts_alone(n.kind))
        return refuse(238, id,
                      "all positions read what is known after the last of them; let them read what is ",
                      "known at each");
    }
    if (inside_moving_scan(n.region)) {
      for (int k = 0; k < n.operand_count; ++k)
        if (axis_of(k) >= 0 && n.kind != op::time_step)
          return refuse(239, id,
                        "a step of the scan reads all positions; give it the sequence beside the others ",
                        "that it runs over");
      return true;
    }
    if (!of_positions) return true;
    if (const shift_fault f = find_shift(id); f.kind != fault::none) return refuse_shift(id, f);
    if (pads_time(id) || cuts_time(id)) return true;
    if (n.kind == op::reshape && axis >= 0)
      return stays_whole(id) || spreads(id) != 0 ||
             refuse(240, id, "it mixes positions with other axes; permute first");
    if (joined) return joined_fits(id);
    const family of = operation_of(n.kind).of;
    if (of == family::leaf || of == family::loop) return true;
    if (of == family::attention) return attention_fits(id);
    if (of == family::positions)
      return axis == n.shape.rank - 2 ||
             refuse(241, id,
                    "it counts along another axis than the positions; permute them to the last but one");
    if (runs_along(id)) {
      const shift_fault f = settled(g.operand(id, 0));
      return f.kind == fault::none || refuse_shift(g.operand(id, 0), f);
    }
    if (slides(n.kind)) return window_fits(id);
    return is_last(id) || works_alone(id);
  }
  /// Whether a step goes on from the last position of the one before it.
  constexpr bool runs_along(int id) const {
    return operation_of(g.nodes[id].kind).positions == over::running && along_time(id);
  }
  constexpr bool refuse_pairs(int id) {
    return refuse(242, id,
                  "it compares positions with positions; let attention or attend weigh them, with a ",
                  "causal mask");
  }
  /// Of two axes of positions one is of queries and one of keys.
  constexpr bool pair_fits(int id) {
    const node& n = g.nodes[id];
    if (n.kind == op::attention_map)
      return refuse(243, id,
                    "the weights of each key, which a map and hard or local attention need, are of all ",
                    "positions; use soft attention");
    if (!is_pair(id)) return refuse_pairs(id);
    if (pairs_differ[id])
      return refuse(244, id, "attentions of different masks read it; compute it for each of them");
    if (time_axes(id) != 2 || n.operand_count > most_operands) return refuse_pairs(id);
    bool fits = rates[n.shape[key_axis[id]]] != 0 && n.shape[key_axis[id]] == n.shape[query_axis_of(id)];
    if (const shift_fault f = find_shift(id); f.kind != fault::none) return refuse_shift(id, f);
    fits = fits && extra_of(id) == 0;
    for (int k = 0; k < n.operand_count; ++k)
      fits = fits && fits_pair(id, k) && !ends[g.operand(id, k)] && !is_joined(g.operand(id, k));
    return fits || refuse_pairs(id);
  }
  /// Whether an operation works on each position by itself.
  constexpr bool works_alone(int id) {
    const char* why = mixes(id);
    return why == nullptr || refuse(245, id, why, remedy(id));
  }
  /// What would do instead of an operation that does not work on each position by itself.
  constexpr const char* remedy(int id) const {
    const op kind = g.nodes[id].kind;
    if (operation_of(kind).positions == over::reduced)
      return "; a scan can carry what it needs of those before";
    if (operation_of(kind).of == family::softmax)
      return "; let attention or attend weigh them, with a causal mask";
    if (kind != op::slice) return "";
    return g.nodes[g.operand(id, 0)].kind == op::parameter
               ? "; take rows of a table by gather(table, range(x, T))"
               : "; last(x, T) takes the last one";
  }
  /// Positions that share an axis with others go through what works on each of them alone.
  constexpr bool joined_fits(int id) {
    const node& n = g.nodes[id];
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      if (positions[from] != 0 && (positions[from] != positions[id] ||
                                   g.nodes[from].shape[time_axis(from)] != n.shape[time_axis(id)]))
        return refuse(246, id, "positions that share an axis with others meet other ones; reshape them to ",
                      "an axis of their own");
    }
    const over positions_of = operation_of(n.kind).positions;
    return positions_of != over::other && positions_of != over::window
               ? works_alone(id)
               : refuse(247, id,
                        "its positions share an axis with others; reshape them to an axis of their own");
  }
  constexpr bool attention_fits(int id) {
    const auto axis_from_last = [&](int k) {
      return time_axis(g.operand(id, k)) - g.nodes[g.operand(id, k)].shape.rank;
    };
    const auto moves_at = [&](int k) { return time_axis(g.operand(id, k)) >= 0; };
    const bool over_others = !moves_at(1) && !moves_at(2);
    if (over_others && sees_positions(id))
      return refuse(248, id,
                    "its score or mask compares positions with those of keys that do not move along it");
    if (axis_from_last(0) != -2 || (!over_others && (axis_from_last(1) != -2 || axis_from_last(2) != -2 ||
                                                     rate_of(g.operand(id, 0)) != rate_of(g.operand(id, 1)))))
      return refuse(249, id, "queries, keys and values do not all move along it");
    if (!over_others) {
      const std::int64_t ahead = keys_ahead(id);
      if (ahead == any_number_ahead)
        return refuse(250, id, "a query may see any later key; join its mask with causal or window");
      if (ahead > 0 && has_pairs(id))
        return refuse(251, id, "a query sees ", ahead, ahead == 1 ? " later key" : " later keys",
                      "; join its mask with causal");
    }
    int next = 3;
    const attention_settings& o = g.nodes[id].settings.attention;
    if (o.has_bias) {
      // Of positions it has those of its queries, or of its keys, or of pairs of both.
      if (time_axes(g.operand(id, next++)) > 1 && !is_of_scores(id)) return refuse_pairs(id);
    }
    for (const int function : {o.score, o.mask}) {
      if (function < 0) continue;
      const scalar_function& f = g.functions[function];
      for (int capture = 0; capture < f.capture_count; ++capture, ++next)
        if (const int table = g.operand(id, next);
            moves_at(next) && (over_others || rate_of(table) != rate_of(g.operand(id, 0)) ||
                               (query_axis(f, capture, table) < 0 && !is_kept(f, capture, table))))
          return refuse(253, id,
                        "a table of its lambdas has positions, and is not read there by the number of the ",
                        "query or the key alone");
    }
    return true;
  }
  /// Whether the bias of an attention is of its queries and keys.
  constexpr bool is_of_scores(int id) const {
    const int bias = g.operand(id, 3), rank = g.nodes[bias].shape.rank;
    return is_pair(bias) && key_axis[bias] == rank - 1 && query_axis_of(bias) == rank - 2 &&
           g.nodes[bias].shape[-1] == g.nodes[g.operand(id, 1)].shape[-2];
  }
  /// Whether a table can be kept as keys are: its last axis is read where the query or the key is.
  constexpr bool is_kept(const scalar_function& f, int capture, int table) const {
    return time_axis(table) == g.nodes[table].shape.rank - 1 &&
           reads_by(f, capture, table, op::query_position, op::key_position);
  }
  constexpr bool sees_positions(int id) const {
    const attention_settings& o = g.nodes[id].settings.attention;
    for (const int f : {o.score, o.mask}) {
      if (f < 0) continue;
      const scalar_function& from = g.functions[f];
      for (int i = 0; i < from.count; ++i)
        for (int k = 0; k < from.nodes[i].operand_count; ++k)
          if (from.nodes[from.nodes[i].operands[k]].kind == op::query_position) return true;
    }
    return false;
  }
  constexpr bool window_fits(int id) {
    const node& n = g.nodes[id];
    if (!slides_along(id)) return time_axis(id) >= 0 || refuse(254, id, "it sums over positions");
    if (n.kind != op::avg_pool || n.settings.window.count_padding) return true;
    const sliding_window& w = g.windows[n.settings.window.index];
    const int along = window_axis(id);
    if (w.before[along] > 0)
      return refuse(255, id, "its first means leave out what lies before; use .count_padding = true");
    return w.after[along] == 0 || shifts[id].lead * w.stride[along] >= lead_before(id) ||
           refuse(256, id, "its last means leave out what lies behind; use .count_padding = true");
  }
  constexpr bool refuse_shift(int id, const shift_fault& f) {
    const node& n = g.nodes[id];
    const char* positions_of = f.count == 1 ? " later position" : " later positions";
    switch (f.kind) {
      case fault::ahead:
        if (slides_along(id) && is_transposed(n.kind))
          return refuse(257, id, "its padding takes the first positions away, so that it sees ", f.count,
                        positions_of, "; cut the last ones off by slice instead");
        if (slides_along(id))
          return refuse(258, id, "its windows see ", f.count, positions_of,
                        g.windows[n.settings.window.index].axes == 1 ? "; use .padding = causal"
                                                                     : "; pad as many in front of them");
        return refuse(259, id, "it takes ", f.count, positions_of, "; pad as many in front of it first");
      case fault::longer: {
        const int from = static_cast<int>(f.count);
        const dim size = g.dim_of(positions[from]), wanted = size - extra_of(from);
        return refuse(260, id, "its positions are ", size, ", not ", wanted,
                      extra_of(from) > 0 ? "; cut the last ones off by slice"
                                         : "; pad as many in front of them");
      }
      case fault::unknown:
        return refuse(261, id,
                      "what it has before the first position is not one number; pad right in front of each ",
                      "window");
      case fault::compares:
        return refuse(262, id,
                      "what it compares comes behind something that looks ahead; compare what is causal");
      case fault::far:
        return refuse(263, id, "it would wait for more than ", most_behind, " positions");
      default:
        return refuse(264, id, "it makes one of positions that do not come together");
    }
  }
};

} // namespace fovea::core::detail
