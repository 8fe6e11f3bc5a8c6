#include <fovea/runtime/describe/receptive_field.hpp>

#include <fovea/dsl/passes/kept_window.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fovea::core {

std::string receptive_field::text() const {
  if (!moves) return "-";
  if (after == unlimited) return "all";
  if (before == unlimited) return after > 0 ? "all" : "all past";
  std::string past = std::to_string(static_cast<std::int64_t>(std::floor(before)) + 1);
  if (after > 0) past += " + " + std::to_string(static_cast<std::int64_t>(std::ceil(after))) + " ahead";
  return past;
}

namespace {

constexpr double unlimited = receptive_field::unlimited;

class field_finder {
public:
  field_finder(const graph_view& g, const dim& time)
      : g_(g), time_(time), fields_(static_cast<std::size_t>(g.node_count())) {
    run(0, g.node_count(), 0);
  }

  std::vector<receptive_field> result() && { return std::move(fields_); }

private:
  receptive_field& of(int id) { return fields_[static_cast<std::size_t>(id)]; }

  bool has_time(int d) const {
    if (g_.is_number(d)) return false;
    const dim& form = g_.form(d);
    for (int i = 0; i < form.atom_count; ++i)
      if (form.atoms[i].divisor == 0 && same_text(form.atoms[i].symbol, time_.name())) return true;
    return form == time_;
  }
  int time_axis(int id) const {
    const shape& s = g_.at(id).shape;
    for (int i = 0; i < s.rank; ++i)
      if (has_time(s[i])) return i;
    return -1;
  }
  int operand_axis(int id, int k) const { return time_axis(g_.operand(id, k)); }
  bool inside_moving_scan(int region) const {
    for (; region != 0; region = g_.region(region).parent)
      if (g_.region(region).is_scan() && has_time(g_.region(region).time)) return true;
    return false;
  }

  static receptive_field joined(const receptive_field& a, const receptive_field& b) {
    if (!a.moves) return b;
    if (!b.moves) return a;
    return {true, std::max(a.before, b.before), std::max(a.after, b.after), std::max(a.jump, b.jump),
            a.of_end || b.of_end};
  }
  static receptive_field everything(receptive_field x) {
    if (x.moves) x.before = x.after = unlimited;
    return x;
  }
  /// y[t] sees x[t + first] to x[t + last], t and these in positions of x.
  static receptive_field moved(receptive_field x, double first, double last) {
    x.before -= first * x.jump;
    x.after += last * x.jump;
    return x;
  }
  /// What has no positions of its own, as the first one, lies elsewhere for a value that has them.
  receptive_field operands(int id) {
    const node& n = g_.at(id);
    const bool has_positions = time_axis(id) >= 0 || inside_moving_scan(n.region);
    receptive_field all;
    for (int k = 0; k < n.operand_count; ++k) {
      const int from = g_.operand(id, k);
      const bool elsewhere = has_positions && time_axis(from) < 0 && !inside_moving_scan(g_.at(from).region);
      all = joined(all, elsewhere && n.kind != op::concat ? everything(of(from)) : of(from));
    }
    return all;
  }

  // Nodes first <= id < last of a region and of the regions inside it.
  void run(int first, int last, int region) {
    for (int id = first; id < last; ++id) {
      int inner = g_.at(id).region;
      if (inner == region) {
        of(id) = field_of(id);
        continue;
      }
      while (g_.region(inner).parent != region) inner = g_.region(inner).parent;
      run_region(inner);
      id = g_.region(inner).last - 1;
    }
  }

  void run_region(int index) {
    const region_entry& r = g_.region(index);
    for (int k = 0; k < r.carried; ++k) {
      const receptive_field& first = of(g_.operand(r.first + k, 0));
      of(r.first + k) = r.is_scan() && first.of_end ? everything(first) : first;
    }
    const auto pass = [&] { run(r.first + r.carried, r.last, index); };
    if (!r.is_scan()) {
      for (int layer = 0; layer < r.count; ++layer) {
        if (layer > 0) {
          std::vector<receptive_field> next;
          for (int k = 0; k < r.carried; ++k) next.push_back(of(r.results[k]));
          std::copy(next.begin(), next.end(), fields_.begin() + r.first);
        }
        pass();
      }
      return;
    }
    // What a state has seen, it keeps: of a scan along time all steps before; of another, what any step saw.
    const bool along_time = has_time(r.time);
    for (int round = 0; round <= r.carried + 1; ++round) {
      pass();
      bool changed = false;
      for (int k = 0; k < r.carried; ++k) {
        receptive_field next = joined(of(r.first + k), of(r.results[k]));
        if (next.moves && along_time) (r.reversed ? next.after : next.before) = unlimited;
        if (round == r.carried && !(next == of(r.first + k))) next = everything(next);
        changed |= !(next == of(r.first + k));
        of(r.first + k) = next;
      }
      if (!changed) return;
    }
  }

  receptive_field field_of(int id) {
    const node& n = g_.at(id);
    receptive_field all = operands(id);
    const int axis = n.operand_count > 0 ? operand_axis(id, 0) : -1;
    if (n.kind == op::input) return {time_axis(id) >= 0};
    if (n.kind == op::range || n.kind == op::sinusoidal) return {}; // made for the operand's length alone
    if (!all.moves) return {};
    if (n.kind == op::repeat_output) {
      const region_entry& r = g_.region(n.settings.carried.region);
      return r.is_scan() ? everything(all) : all;
    }
    if (n.kind == op::time_step || n.kind == op::stack || n.kind == op::scan_output) return all;
    if (inside_moving_scan(n.region))
      for (int k = 0; k < n.operand_count; ++k)
        if (operand_axis(id, k) >= 0 && of(g_.operand(id, k)).moves) return everything(all);
    switch (n.kind) { // what puts positions elsewhere
      case op::reshape: {
        if (axis < 0) return all;
        const shape& s = n.shape;
        return std::find(s.dims, s.dims + s.rank, g_.at(g_.operand(id, 0)).shape[axis]) != s.dims + s.rank
                   ? all
                   : everything(all);
      }
      case op::pad:
        return n.settings.pad.axis == axis ? moved(all, -n.settings.pad.before, -n.settings.pad.before) : all;
      case op::slice: {
        if (n.settings.slice.axis != axis) return all;
        if (!g_.is_number(n.settings.slice.first)) { // a value keeps the window that it had
          all.of_end = time_axis(id) < 0;
          return all;
        }
        const auto first = static_cast<double>(g_.number(n.settings.slice.first));
        return moved(all, first, first);
      }
      case op::concat:
        return side_by_side(id, all);
      default:
        return in_place(id, axis, all);
    }
  }
  /// Of what leaves positions where they are, which `axis` of its first operand has.
  receptive_field in_place(int id, int axis, receptive_field all) {
    const operation& o = operation_of(g_.at(id).kind);
    if (slides(o.kind)) return windowed(id, all);
    if (o.of == family::attention) return attended(id, all);
    const auto all_where = [&](bool sees_all) { return sees_all ? everything(all) : all; };
    switch (o.positions) {
      case over::each:
        return aligned(id, all);
      case over::features:
        return all_where(axis == g_.at(g_.operand(id, 0)).shape.rank - 1);
      case over::matrices:
        return all_where(axis == g_.at(g_.operand(id, 0)).shape.rank - 1 || operand_axis(id, 1) >= 0);
      case over::rows:
        return all_where(of(g_.operand(id, 0)).moves);
      case over::along:
      case over::reduced:
        return all_where(axis >= 0 && axis_along(g_.at(id)) == axis);
      case over::running:
        if (axis_along(g_.at(id)) == axis) all.before = unlimited;
        return all;
      default: // the statistics of a norm of groups are of all positions
        return all_where(o.of == family::norm && axis >= 0);
    }
  }

  /// Positions of the operands meet those of the result.
  receptive_field aligned(int id, const receptive_field& all) const {
    const node& n = g_.at(id);
    const int axis = time_axis(id);
    for (int k = 0; k < n.operand_count; ++k)
      if (operand_axis(id, k) >= 0 &&
          operand_axis(id, k) - g_.at(g_.operand(id, k)).shape.rank != axis - n.shape.rank)
        return everything(all);
    return all;
  }
  receptive_field windowed(int id, receptive_field all) const {
    const node& n = g_.at(id);
    const sliding_window& w = g_.window_of(id);
    const int along = operand_axis(id, 0);
    const int from_last = g_.at(g_.operand(id, 0)).shape.rank - 2 - along;
    if (along < 0 || from_last >= w.axes) return all;
    if (from_last < 0) return everything(all); // positions are its features
    const int axis = 1 - from_last;
    if (!is_transposed(n.kind)) {
      all = moved(all, -w.before[axis], w.span(axis) - 1 - w.before[axis]);
      all.jump *= w.stride[axis];
      return all;
    }
    all = moved(all, -std::ceil(static_cast<double>(w.span(axis) - 1 - w.before[axis]) / w.stride[axis]),
                std::ceil(static_cast<double>(w.before[axis]) / w.stride[axis]));
    all.jump /= w.stride[axis];
    return all;
  }
  receptive_field side_by_side(int id, const receptive_field& all) {
    const node& n = g_.at(id);
    const int axis = time_axis(id);
    if (axis < 0 || n.settings.along.axis != axis) return all;
    receptive_field together;
    double offset = 0; // unlimited: it depends on the length
    for (int k = 0; k < n.operand_count; ++k) {
      const receptive_field& part = of(g_.operand(id, k));
      const int size = g_.at(g_.operand(id, k)).shape[axis];
      const bool anywhere = offset == unlimited || part.of_end;
      together = joined(together, anywhere ? everything(part) : moved(part, -offset, -offset));
      offset = g_.is_number(size) ? offset + static_cast<double>(g_.number(size)) : unlimited;
    }
    return together;
  }
  receptive_field attended(int id, const receptive_field& all) {
    const node& n = g_.at(id);
    const receptive_field seen = joined(of(g_.operand(id, 1)), of(g_.operand(id, 2)));
    for (int k = 3; k < n.operand_count; ++k)
      if (operand_axis(id, k) >= 0 && of(g_.operand(id, k)).moves && g_.at(g_.operand(id, k)).shape.rank > 1)
        return everything(all);
    if (!seen.moves || operand_axis(id, 1) < 0) return all;
    if (operand_axis(id, 0) < 0) return everything(all);
    const int mask = n.settings.attention.mask;
    const std::int64_t reach = mask < 0 ? 0 : detail::reach_of(g_.function(mask)),
                       ahead = mask < 0 ? detail::any_number_ahead : detail::ahead_of(g_.function(mask));
    const double before = reach == 0 ? unlimited : static_cast<double>(reach - 1),
                 after = ahead == detail::any_number_ahead ? unlimited : static_cast<double>(ahead);
    return joined(of(g_.operand(id, 0)), moved(seen, -before, after));
  }

  const graph_view& g_;
  const dim& time_;
  std::vector<receptive_field> fields_;
};

} // namespace

std::vector<receptive_field> receptive_fields(const graph_view& g, const dim& time) {
  return field_finder(g, time).result();
}

} // namespace fovea::core
