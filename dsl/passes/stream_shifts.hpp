#pragma once

#include <cstdint>
#include <limits>

#include <fovea/dsl/passes/stream_pairs.hpp>

namespace fovea::core::detail {

/// Where the positions of a value lie against those of the dim: a step that is given position t makes
/// position t + lead of it. Padding in front puts some before the first, so that the lead is above 0. What
/// sees later positions waits for them, so that it is below 0: it grows by a drift from layer to layer of a
/// repeat. What is cut off from the end makes the last positions others than the model's, which only matters
/// to what reads them at their own time.
struct stream_shifts : stream_pairs {
  struct shift {
    std::int32_t lead = 0; // in the first layer of the repeats around it
    std::int32_t wrong =
        0;             // the last positions of a step that are not those of the model, were it to end here
    bool known = true; // all of the positions before the first are one number
    double number = 0;
  };
  shift shifts[most] = {};
  std::int32_t base[graph::max_regions] = {};  // the lead of what a loop takes, in its first layer; at most 0
  std::int32_t drift[graph::max_regions] = {}; // by how much that of a repeat grows; at most 0
  static constexpr std::int32_t most_behind = sliding_window::largest;

  enum class fault : std::uint8_t {
    none,
    ahead,       // it needs later positions, `count` of them
    longer,      // it has positions beside those of the dim, where none may be
    unknown,     // what lies before the first position is not one number
    not_its_own, // it works along positions
    compares,    // it compares positions that come late
    far,         // it would wait for too many positions
  };
  struct shift_fault {
    fault kind = fault::none;
    std::int64_t count = 0; // ahead: of positions; longer: the node
  };

  constexpr stream_shifts(const graph& of, std::uint16_t along) : stream_pairs(of, along) {}

  constexpr bool along_time(int id) const {
    const node& n = g.nodes[id];
    return positions[g.operand(id, 0)] != 0 && axis_along(n) == time_axis(g.operand(id, 0));
  }
  constexpr bool pads_time(int id) const { return g.nodes[id].kind == op::pad && along_time(id); }
  /// Whether a slice leaves out positions at the ends, a number of them.
  constexpr bool cuts_time(int id) const {
    return g.nodes[id].kind == op::slice && along_time(id) && time_axis(id) >= 0 &&
           rates[g.nodes[id].shape[time_axis(id)]] == rate_of(g.operand(id, 0)) &&
           g.is_number(g.nodes[id].settings.slice.first);
  }
  /// Which axis of its window the dim is; -1: none.
  constexpr int window_axis(int id) const {
    const sliding_window& w = g.windows[g.nodes[id].settings.window.index];
    const int from_last = g.nodes[id].shape.rank - 2 - time_axis(g.operand(id, 0));
    return from_last < w.axes && from_last >= 0 ? 1 - from_last : -1;
  }
  constexpr bool slides_along(int id) const {
    return slides(g.nodes[id].kind) && positions[g.operand(id, 0)] != 0 && window_axis(id) >= 0;
  }
  /// What it keeps of the positions before, those in front of the first with them.
  constexpr std::int32_t history(int id) const {
    const sliding_window& w = g.windows[g.nodes[id].settings.window.index];
    const int axis = window_axis(id), lead = lead_before(id), made = shifts[id].lead;
    if (!is_transposed(g.nodes[id].kind)) return w.before[axis] + lead - made * w.stride[axis];
    return lead + (w.span(axis) - 1 - w.before[axis] - made) / w.stride[axis];
  }
  /// The number that this begins with.
  constexpr double padding_of(int id) const {
    if (lead_before(id) > 0) return shifts[g.operand(id, 0)].number;
    return g.nodes[id].kind == op::max_pool ? -std::numeric_limits<double>::infinity() : 0;
  }

  /// By how many positions operand k must come later, so that all that meet are of one time.
  constexpr std::int32_t delay(int id, int k) const {
    const int from = g.operand(id, k);
    return positions[from] == 0 ? 0 : shifts[from].lead - wanted_lead(id, k);
  }
  constexpr std::int32_t lead_before(int id) const {
    return positions[g.operand(id, 0)] == 0 ? 0 : wanted_lead(id, 0);
  }
  /// The leads that the keys and the queries of an attention are brought to.
  constexpr std::int32_t key_lead(int id) const { return least_lead(id, 0, false); }
  constexpr std::int32_t query_lead(int id) const {
    const std::int64_t ahead = keys_ahead(id);
    const std::int32_t waited =
        ahead <= 0 || ahead == any_number_ahead ? 0 : static_cast<std::int32_t>(ahead);
    return least_lead(id, key_lead(id) - waited, true);
  }
  /// Where a node of a region lies whose lead in the first layer is given.
  constexpr lag lag_of(int region, std::int32_t lead) const {
    std::int32_t each = 0;
    for (int r = region; r != 0; r = g.regions[r].parent) each -= drift[r];
    return {-lead, each};
  }

  /// Finds the shift of a node whose operands have theirs.
  constexpr shift_fault find_shift(int id) {
    const node& n = g.nodes[id];
    shift& s = shifts[id];
    bool moving = false, same = true;
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      if (positions[from] == 0 || counts_alone(n.kind)) continue;
      const shift& of = shifts[from];
      const std::int32_t wanted = wanted_lead(id, k), later = of.lead - wanted,
                         wrong = of.wrong > later ? of.wrong - later : 0;
      if (later > most_behind || -wanted > most_behind) return {fault::far};
      if (of.lead < 0 && (is_pair(id) || (attends(id) && has_pairs(id)))) return {fault::compares};
      s.lead = wanted;
      if (later > 0 && !of.known) return {fault::unknown};
      if (takes_none_beside(id)) {
        if (extra_of(from) != 0) return {fault::longer, from};
        if (wrong > 0) return {fault::ahead, wrong};
      }
      same = same && of.known && (!moving || of.number == s.number);
      moving = true;
      s.number = of.number;
      if (wrong > s.wrong) s.wrong = wrong;
    }
    if (!moving) return {};
    if (attends(id)) s.lead = query_lead(id);
    if (n.kind == op::repeat_output) {
      const int region = n.settings.carried.region;
      s.lead = base[region] + g.regions[region].count * drift[region];
    }
    if (s.lead < -most_behind) return {fault::far};
    if (pads_time(id)) {
      const pad_settings& pad = n.settings.pad;
      same = pad.before == 0 ? same : s.lead <= 0 || (same && s.number == pad.value);
      if (pad.before > 0) s.number = pad.value;
      s.lead += pad.before;
    } else if (cuts_time(id)) {
      const auto first = static_cast<std::int32_t>(g.number(n.settings.slice.first));
      if (first > s.lead && s.wrong > 0) return {fault::ahead, first - s.lead};
      s.lead -= first;
    } else if (slides_along(id)) {
      if (const shift_fault f = find_shift_of_window(id, same); f.kind != fault::none) return f;
    } else if (const std::int32_t many = spreads(id); many != 0) {
      if (many < 0 && s.lead % many != 0) return {fault::not_its_own};
      s.lead = many > 0 ? s.lead * many : s.lead / -many;
      s.wrong = many > 0 ? s.wrong * many : (s.wrong - many - 1) / -many;
    } else {
      same = same && keeps_number(id, s.number);
    }
    s.known = s.lead <= 0 || same;
    // Of the last positions those that the model does not have.
    if (positions[id] != 0 && s.lead - extra_of(id) > s.wrong) s.wrong = s.lead - extra_of(id);
    return {};
  }
  /// Whether a node may leave the graph, or a loop: as many positions as the dim, each at its time.
  constexpr shift_fault settled(int id) const {
    if (positions[id] == 0) return {};
    const shift& s = shifts[id];
    if (extra_of(id) != 0) return {fault::longer, id};
    if (s.lead > 0 && !s.known) return {fault::unknown};
    if (s.wrong > 0 && s.wrong > s.lead) return {fault::ahead, s.lead > 0 ? s.wrong - s.lead : s.wrong};
    return {};
  }
  /// What a loop takes comes at the time of the last of it to come.
  constexpr void find_base(int region) {
    const region_entry& r = g.regions[region];
    for (int id = r.first; id < r.last; ++id) {
      const node& n = g.nodes[id];
      const bool taken = moving_scan(region) ? n.kind == op::time_step && n.settings.time.region == region
                                             : n.kind == op::carry && n.region == region;
      if (!taken || positions[g.operand(id, 0)] == 0) continue;
      if (const std::int32_t lead = shifts[g.operand(id, 0)].lead; lead < base[region]) base[region] = lead;
    }
    for (int id = r.first; id < r.last && moving_scan(region); ++id)
      if (g.nodes[id].kind == op::stack && g.nodes[id].region == region) shifts[id].lead = base[region];
  }

private:
  /// Whether a node works on each position by itself, wherever these begin.
  constexpr bool is_free(int id) const {
    const node& n = g.nodes[id];
    if (is_pair(id)) return false;
    if (n.kind == op::attention) return !attends(id);
    if (n.kind == op::reshape) return !is_joined(id) && !is_joined(g.operand(id, 0));
    switch (operation_of(n.kind).positions) {
      case over::along:
      case over::reduced:
      case over::running:
        return time_axis(id) >= 0;
      case over::window:
      case over::other:
        return false;
      default:
        return true;
    }
  }
  constexpr bool takes_none_beside(int id) const { return !is_free(id) && !slides_along(id); }
  /// The least lead of an attention's queries, or of its keys, and `least`.
  constexpr std::int32_t least_lead(int id, std::int32_t least, bool of_queries) const {
    for (int k = 0; k < g.nodes[id].operand_count; ++k)
      if (const int from = g.operand(id, k);
          positions[from] != 0 && is_of_queries(id, k) == of_queries && shifts[from].lead < least)
        least = shifts[from].lead;
    return least;
  }
  /// The lead that operand k is brought to.
  constexpr std::int32_t wanted_lead(int id, int k) const {
    const node& n = g.nodes[id];
    switch (n.kind) {
      case op::carry:
        return base[n.region];
      case op::time_step:
        return base[n.settings.time.region];
      case op::repeat_output:
        return base[n.settings.carried.region] + drift[n.settings.carried.region];
      case op::scan_output:
        return shifts[g.operand(id, k)].lead;
      default:
        break;
    }
    if (attends(id)) return is_of_queries(id, k) ? query_lead(id) : key_lead(id);
    std::int32_t least = 0;
    bool any = false;
    bool waits = false; // for its time, before what lies in front of the first position is one number no more
    for (int i = 0; i < n.operand_count; ++i)
      if (const int each = g.operand(id, i); positions[each] != 0) {
        if (!any || shifts[each].lead < least) least = shifts[each].lead;
        any = true;
        waits =
            waits || (extra_of(each) <= 0 && shifts[each].known && !keeps_number(id, shifts[each].number));
      }
    // What a window would read of positions that the model does not have is waited for.
    if (slides_along(id)) waits = shifts[g.operand(id, 0)].wrong > 0 && extra_of(g.operand(id, 0)) == 0;
    if (least > 0 && (waits || takes_none_beside(id))) return 0;
    // Positions of which one is made come together.
    if (const std::int32_t many = spreads(id); many < 0 && least < 0) return (least + many + 1) / many * many;
    return least;
  }
  /// The shift of what slides, from that of its operand.
  constexpr shift_fault find_shift_of_window(int id, bool same) {
    const node& n = g.nodes[id];
    const sliding_window& w = g.windows[n.settings.window.index];
    shift& s = shifts[id];
    const int axis = window_axis(id), before = w.before[axis], step = w.stride[axis], span = w.span(axis);
    const double own = n.kind == op::max_pool ? -std::numeric_limits<double>::infinity() : 0;
    if (s.lead > 0 && !same) return {fault::unknown};
    const bool waits = s.wrong == 0;
    std::int32_t made = 0;
    if (is_transposed(n.kind)) {
      if (const int ahead = (before + step - 1) / step - s.lead; ahead > 0 && !waits)
        return {fault::ahead, ahead};
      if (before >= span || (s.lead > 0 && s.number != 0)) return {fault::unknown};
      s.wrong *= step;
      made = s.lead * step - before;
    } else {
      if (const int ahead = span - before - s.lead - step; ahead > 0 && !waits) return {fault::ahead, ahead};
      if (s.lead > 0 && before > 0 && s.number != own) return {fault::unknown};
      // Beyond the end the model pads, where a step would read on.
      if (s.wrong > 0 && w.after[axis] > 0) return {fault::ahead, s.wrong};
      s.wrong = (s.wrong + step - 1) / step;
      made = s.lead + before + (span > step ? step - span : 0);
      made = made < 0 ? (made - step + 1) / step : 0;
    }
    s.lead = made < 0 ? made : 0;
    return {};
  }
  /// Whether a node leaves the number as it is, wherever it stands.
  constexpr bool keeps_number(int id, double number) const {
    const node& n = g.nodes[id];
    const operation& o = operation_of(n.kind);
    if (n.kind == op::pad)
      return n.settings.pad.value == number || (pads_time(id) && n.settings.pad.before == 0);
    return o.of == family::shape || o.costs == cost::nothing || (number == 0 && o.of_zero_zero);
  }
};

} // namespace fovea::core::detail
