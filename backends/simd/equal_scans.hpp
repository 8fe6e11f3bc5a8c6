#pragma once

#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::simd {

/// Whether two scans of a model do the same with parameters and sequences of their own, as layers that are
/// written out do: then the code of one serves both.
template <class plan>
class equal_scans {
public:
  constexpr equal_scans(const graph_view& of, const plan& schedule) : g_(of), schedule_(schedule) {}

  /// Of the loops that begin with two steps of the plan.
  constexpr bool operator()(int a, int b) {
    const step &first = schedule_.steps[a], &second = schedule_.steps[b];
    if (second.kind != step_kind::loop_begin || first.first - a != second.first - b) return false;
    region_a_ = first.node, region_b_ = second.node, outside_ = 0;
    const region_entry &x = g_.region(region_a_), &y = g_.region(region_b_);
    if (!x.is_scan() || !y.is_scan() || x.last - x.first != y.last - y.first || x.carried != y.carried ||
        x.reversed != y.reversed)
      return false;
    for (int k = 0; k < x.carried; ++k)
      if (!same(x.results[k], y.results[k])) return false;
    for (int id = x.first; id < x.last; ++id)
      if (!same_node(id, id - x.first + y.first)) return false;
    for (int i = 1; a + i < first.first; ++i)
      if (!same_step(schedule_.steps[a + i], schedule_.steps[b + i])) return false;
    return true;
  }

private:
  constexpr bool inside(int id, int region) const {
    return g_.region(region).first <= id && id < g_.region(region).last;
  }
  /// Whether the one is in the first scan what the other is in the second.
  constexpr bool same(int x, int y) {
    if (x < 0 || y < 0) return x == y;
    const bool in = inside(x, region_a_);
    if (in != inside(y, region_b_)) return false;
    return in ? x - g_.region(region_a_).first == y - g_.region(region_b_).first : same_outside(x, y);
  }
  /// Parameters stand for each other one by one; constants are equal.
  constexpr bool same_outside(int x, int y) {
    const node &m = g_.at(x), &n = g_.at(y);
    if (!alike(m, n)) return false;
    if (m.kind == op::constant) return m.settings.number == n.settings.number;
    if (m.kind == op::transpose && g_.at(g_.operand(x, 0)).kind == op::parameter)
      return same(g_.operand(x, 0), g_.operand(y, 0));
    if (m.kind != op::parameter) return false;
    for (int i = 0; i < outside_; ++i)
      if (from_[i] == x || to_[i] == y) return from_[i] == x && to_[i] == y;
    if (outside_ == most_outside) return false;
    from_[outside_] = x, to_[outside_++] = y;
    return true;
  }
  static constexpr bool alike(const node& m, const node& n) {
    return m.kind == n.kind && m.type == n.type && m.operand_count == n.operand_count && m.shape == n.shape;
  }
  /// Where settings name a region, that of the one scan stands for that of the other.
  constexpr bool told_the_same(const node& m, const node& n) const {
    return with_settings(m.kind, m.settings, n.settings, [this](auto a, const auto& b) {
      if constexpr (requires { a.region; }) {
        if (a.region != region_a_ || b.region != region_b_) return false;
        a.region = region_b_;
      }
      return a == b;
    });
  }
  constexpr bool same_node(int x, int y) {
    const node &m = g_.at(x), &n = g_.at(y);
    if (!alike(m, n) || !told_the_same(m, n)) return false;
    const auto& groups = schedule_.groups;
    if (groups.live[x] != groups.live[y] || groups.viewed[x] != groups.viewed[y] ||
        groups.activation[x] != groups.activation[y] || groups.join[x] != groups.join[y] ||
        !same(groups.root[x], groups.root[y]) || !same(groups.base[x], groups.base[y]) ||
        !same(groups.product[x], groups.product[y]) || !same(groups.other[x], groups.other[y]) ||
        groups.norm[x] >= 0 || groups.norm[y] >= 0)
      return false;
    // The places of a sequence and of a state are given to the code.
    if (m.kind == op::time_step) return alike(g_.at(g_.operand(x, 0)), g_.at(g_.operand(y, 0)));
    if (m.kind == op::carry) return true;
    for (int k = 0; k < m.operand_count; ++k)
      if (!same(g_.operand(x, k), g_.operand(y, k))) return false;
    return true;
  }
  constexpr bool same_step(const step& s, const step& t) {
    if (s.kind != t.kind || s.count != t.count || !same(s.node, t.node)) return false;
    if (s.kind != step_kind::product) return s.kind == step_kind::chain || s.kind == step_kind::single;
    for (int p = 0; p < s.count; ++p)
      if (!same(schedule_.parts[s.first + p], schedule_.parts[t.first + p])) return false;
    return true;
  }

  static constexpr int most_outside = 64;
  const graph_view& g_;
  const plan& schedule_;
  int region_a_ = 0, region_b_ = 0, outside_ = 0;
  int from_[most_outside] = {}, to_[most_outside] = {};
};

/// The first loop of a model's plan that does what loop i does.
template <class model>
constexpr int first_equal_scan(int i) {
  equal_scans same(model::view, model::schedule);
  for (int earlier = 0; earlier < i; ++earlier)
    if (model::schedule.steps[earlier].kind == step_kind::loop_begin && same(earlier, i)) return earlier;
  return i;
}

} // namespace fovea::core::simd
