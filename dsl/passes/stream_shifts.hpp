#pragma once

#include <cstdint>
#include <limits>

#include <fovea/dsl/passes/stream_pairs.hpp>

namespace fovea::detail {

/// Where the positions of a value lie against those of the dim. Padding in front puts some before the first,
/// so that a step makes not position t but t + lead; what is cut off from the end makes the last ones others
/// than the model's, which only matters to what reads them at their own time.
struct stream_shifts : stream_pairs {
  struct shift {
    std::int32_t lead = 0; // positions before the first of a step
    std::int32_t wrong =
        0;             // the last positions of a step that are not those of the model, were it to end here
    bool known = true; // all of the positions before the first are one number
    double number = 0;
  };
  shift shifts[most] = {};

  enum class fault : std::uint8_t {
    none,
    ahead,       // it needs later positions, `count` of them
    longer,      // it has positions beside those of the dim, where none may be
    unknown,     // what lies before the first position is not one number
    not_its_own, // it works along positions
  };
  struct shift_fault {
    fault kind = fault::none;
    std::int64_t count = 0; // ahead: of positions; longer: the node
  };

  constexpr stream_shifts(const graph& of, std::uint16_t along) : stream_pairs(of, along) {}

  constexpr bool along_time(int id) const {
    const node& n = g.nodes[id];
    return positions[g.operand(id, 0)] != 0 && n.attributes[0] == time_axis(g.operand(id, 0));
  }
  constexpr bool pads_time(int id) const { return g.nodes[id].kind == op::pad && along_time(id); }
  /// Whether a slice leaves out positions at the ends, a number of them.
  constexpr bool cuts_time(int id) const {
    return g.nodes[id].kind == op::slice && along_time(id) && time_axis(id) >= 0 &&
           rates[g.nodes[id].shape[time_axis(id)]] == rate_of(g.operand(id, 0)) &&
           g.is_number(static_cast<std::uint16_t>(g.nodes[id].attributes[1]));
  }
  /// Which axis of its window the dim is; -1: none.
  constexpr int window_axis(int id) const {
    const sliding_window& w = g.windows[g.nodes[id].attributes[0]];
    const int from_last = g.nodes[id].shape.rank - 2 - time_axis(g.operand(id, 0));
    return from_last < w.axes && from_last >= 0 ? 1 - from_last : -1;
  }
  constexpr bool slides_along(int id) const {
    return slides(g.nodes[id].kind) && positions[g.operand(id, 0)] != 0 && window_axis(id) >= 0;
  }
  /// What it keeps of the positions before, those in front of the first with them.
  constexpr std::int32_t history(int id) const {
    const sliding_window& w = g.windows[g.nodes[id].attributes[0]];
    const int axis = window_axis(id), lead = lead_before(id);
    if (!is_transposed(g.nodes[id].kind)) return w.before[axis] + lead;
    return lead + (w.span(axis) - 1 - w.before[axis]) / w.stride[axis];
  }
  /// The number that this begins with.
  constexpr double padding_of(int id) const {
    if (lead_before(id) > 0) return shifts[g.operand(id, 0)].number;
    return g.nodes[id].kind == op::max_pool ? -std::numeric_limits<double>::infinity() : 0;
  }

  /// By how many positions operand k must come later, so that all that meet are of one time.
  constexpr std::int32_t delay(int id, int k) const {
    const int from = g.operand(id, k);
    return positions[from] == 0 ? 0 : shifts[from].lead - wanted_lead(id);
  }
  constexpr std::int32_t lead_before(int id) const { return shifts[g.operand(id, 0)].lead - delay(id, 0); }

  /// Finds the shift of a node whose operands have theirs.
  constexpr shift_fault find_shift(int id) {
    const node& n = g.nodes[id];
    shift& s = shifts[id];
    const std::int32_t wanted = wanted_lead(id);
    bool moving = false, same = true;
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g.operand(id, k);
      if (positions[from] == 0 || counts_alone(n.kind)) continue;
      const shift& of = shifts[from];
      const std::int32_t later = of.lead - wanted, wrong = of.wrong > later ? of.wrong - later : 0;
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
    s.lead = wanted;
    if (pads_time(id)) {
      same = n.attributes[1] == 0 ? same : s.lead == 0 || (same && s.number == n.number);
      if (n.attributes[1] > 0) s.number = n.number;
      s.lead += n.attributes[1];
    } else if (cuts_time(id)) {
      const auto first = static_cast<std::int32_t>(g.number(static_cast<std::uint16_t>(n.attributes[1])));
      if (first > s.lead) return {fault::ahead, first - s.lead};
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
    s.known = s.lead == 0 || same;
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
    if (s.wrong > s.lead) return {fault::ahead, s.wrong - s.lead};
    return {};
  }

private:
  /// Whether a node works on each position by itself, wherever these begin.
  constexpr bool is_free(int id) const {
    const node& n = g.nodes[id];
    if (is_pair(id)) return false;
    if (n.kind == op::reshape) return !is_joined(id) && !is_joined(g.operand(id, 0));
    return is_elementwise(n.kind) || n.kind == op::broadcast || n.kind == op::linear ||
           n.kind == op::matmul || n.kind == op::gather || n.kind == op::layer_norm ||
           n.kind == op::rms_norm || n.kind == op::batch_norm || n.kind == op::permute ||
           n.kind == op::transpose ||
           ((n.kind == op::softmax || n.kind == op::log_softmax || n.kind == op::concat ||
             n.kind == op::pad || n.kind == op::slice || (n.kind >= op::sum && n.kind <= op::argmax)) &&
            time_axis(id) >= 0);
  }
  constexpr bool takes_none_beside(int id) const { return !is_free(id) && !slides_along(id); }
  /// The lead that all operands are brought to.
  constexpr std::int32_t wanted_lead(int id) const {
    if (takes_none_beside(id)) return 0;
    const int from = g.operand(id, 0);
    // What a window would read of positions that the model does not have is waited for.
    if (slides_along(id)) return shifts[from].wrong > 0 && extra_of(from) == 0 ? 0 : shifts[from].lead;
    std::int32_t least = -1;
    bool waits = false; // for its time, before what lies in front of the first position is one number no more
    for (int k = 0; k < g.nodes[id].operand_count; ++k)
      if (const int each = g.operand(id, k); positions[each] != 0) {
        if (least < 0 || shifts[each].lead < least) least = shifts[each].lead;
        waits =
            waits || (extra_of(each) <= 0 && shifts[each].known && !keeps_number(id, shifts[each].number));
      }
    return least < 0 || waits ? 0 : least;
  }
  /// The shift of what slides, from that of its operand.
  constexpr shift_fault find_shift_of_window(int id, bool same) {
    const node& n = g.nodes[id];
    const sliding_window& w = g.windows[n.attributes[0]];
    shift& s = shifts[id];
    const int axis = window_axis(id), before = w.before[axis], step = w.stride[axis], span = w.span(axis);
    const double own = n.kind == op::max_pool ? -std::numeric_limits<double>::infinity() : 0;
    if (s.lead > 0 && !same) return {fault::unknown};
    if (is_transposed(n.kind)) {
      if (const int ahead = (before + step - 1) / step - s.lead; ahead > 0) return {fault::ahead, ahead};
      if (before >= span || (s.lead > 0 && s.number != 0)) return {fault::unknown};
      s.wrong *= step;
    } else {
      if (const int ahead = span - before - s.lead - step; ahead > 0) return {fault::ahead, ahead};
      if (s.lead > 0 && before > 0 && s.number != own) return {fault::unknown};
      // Beyond the end the model pads, where a step would read on.
      if (s.wrong > 0 && w.after[axis] > 0) return {fault::ahead, s.wrong};
      s.wrong = (s.wrong + step - 1) / step;
    }
    s.lead = 0;
    return {};
  }
  /// Whether a node leaves the number as it is, wherever it stands.
  constexpr bool keeps_number(int id, double number) const {
    const node& n = g.nodes[id];
    switch (n.kind) {
      case op::reshape:
      case op::permute:
      case op::transpose:
      case op::slice:
      case op::concat:
      case op::broadcast:
      case op::stop_gradient:
      case op::dropout:
        return true;
      case op::pad:
        return n.number == number || (pads_time(id) && n.attributes[1] == 0);
      case op::negate:
      case op::sqrt:
      case op::abs:
      case op::relu:
      case op::gelu:
      case op::gelu_tanh:
      case op::silu:
      case op::tanh:
      case op::erf:
      case op::sin:
        return number == 0;
      default:
        return false;
    }
  }
};

} // namespace fovea::detail
