#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::detail {

/// What a step needs for itself alone beside its result: up to two extents, of which those of factor 0 are
/// none.
template <std::size_t nodes, std::size_t regions>
constexpr std::array<extent, 2> scratch_of(const graph_view& g, const plan<nodes, regions>& p,
                                           const step& s) {
  constexpr extent none{.factor = 0};
  const node& n = g.at(s.node);
  const auto shape_of = [&](int k) -> const shape& { return g.at(g.operand(s.node, k)).shape; };
  if (s.kind == step_kind::matmul &&
      !p.groups.viewed[g.operand(s.node, 0)]) { // the right side in another order
    const shape& right = shape_of(1);
    extent side;
    side.multiply(g, right[-2]);
    if (g.is_number(right[-1]))
      side.factor *= (g.number(right[-1]) + 63) / 64 * 64;
    else
      side.rounded = right[-1];
    return {side, none};
  }
  if (n.kind == op::attention || n.kind == op::attention_gradient) {
    const attention_settings& o = n.settings.attention;
    const shape& q = shape_of(0);
    extent bounds{.factor = 2}; // the first and the last key of each query
    extent uniform{.factor = o.heads * 2 * scalar_function::max_nodes}; // what lambdas have of a head alone
    bounds.multiply(g, q[-2]);
    if (q.rank == 3) {
      bounds.multiply(g, q[0]);
      uniform.multiply(g, q[0]);
    }
    return {o.mask >= 0 ? bounds : none, o.score >= 0 || o.mask >= 0 ? uniform : none};
  }
  if (n.kind == op::layer_norm_gradient || n.kind == op::rms_norm_gradient) {
    extent sums{.factor = norm_gradient_parts * 2}; // of the weight's and the bias's gradient
    sums.multiply(g, shape_of(0)[-1]);
    return {sums, none};
  }
  if (n.kind == op::expert_linear || n.kind == op::expert_linear_gradient ||
      n.kind == op::expert_weight_gradient) {
    const auto wide = [&](std::int64_t width) { // so much for each expert of each row
      extent e = extent_of(g, shape_of(2));
      e.factor *= width;
      return e;
    };
    constexpr std::int64_t most_panel = 64; // columns
    const std::int64_t width = g.number((n.kind == op::expert_weight_gradient ? shape_of(0) : n.shape)[-1]);
    // An expert's columns begin and end inside a panel.
    if (n.kind == op::expert_linear) return {wide(width + 2 * most_panel), none};
    if (n.kind == op::expert_weight_gradient) return {wide(width), wide(g.number(shape_of(1)[-1]))};
    extent panels{.factor = (width + most_panel - 1) / most_panel * most_panel};
    panels.multiply(g, shape_of(0)[-1]);
    return {wide(width), panels};
  }
  if (n.kind == op::conv_weight_gradient) return {extent_of(g, n.shape), none}; // the sums, taps outermost
  return {none, none};
}

/// Gives each value of a plan whose steps are known a place, free again after the last step that reads it.
template <std::size_t nodes, std::size_t regions>
struct placer {
  const graph_view& g;
  plan<nodes, regions> p;
  std::int32_t last_use[nodes] = {}; // the last step that reads a node's storage
  std::int32_t loop_end[regions] = {};
  bool free[plan<nodes, regions>::max_slots] = {};
  std::int32_t slot[nodes] = {}; // or -1
  bool collected[nodes] = {};    // it has a place for each pass

  /// Whether a node collects the outputs of a scan, whose region is given.
  constexpr bool stacks(int id, int r) const {
    return g.at(id).kind == op::stack && g.at(id).region == r && p.groups.live[id];
  }
  /// Whether a value lies in a place that was its own before its step: a scan's outputs, what a stream keeps.
  static constexpr bool has_own_place(op kind) {
    return kind == op::stack || kind == op::cache || kind == op::keep;
  }
  /// Whether a step of the loop that stacks its result b along a first axis can write it there at once.
  constexpr bool collects(int stack, int b) const {
    const node &n = g.at(stack), &of = g.at(b);
    return n.settings.time.axis == 0 && of.region == n.region && slot[b] == -1 && !p.groups.taken[b] &&
           !p.groups.viewed[b] && p.groups.is_root(b) && of.kind != op::carry && of.kind != op::parameter &&
           of.kind != op::input && of.kind != op::constant && !has_own_place(of.kind);
  }
  // The step at which a value of region `home` is needed by a step of region `where`: inside a loop, until it
  // ends.
  constexpr int until(int s, int where, int home) const {
    for (int r = where; r != home && r != 0; r = g.region(r).parent) s = loop_end[r];
    return s;
  }
  constexpr int home_of(int base) const {
    const node& n = g.at(base);
    return n.kind == op::carry || n.kind == op::stack ? g.region(n.region).parent : n.region;
  }
  constexpr void need(int id, int s, int where) {
    int b = p.base(id);
    while (p.groups.viewed[b] || p.groups.taken[b]) b = p.base(g.operand(b, 0));
    const int last = until(s, where, home_of(b));
    if (last_use[b] < last) last_use[b] = last;
  }

  constexpr void find_last_uses() {
    std::int32_t step_of[nodes] = {};
    for (int i = 0; i < p.step_count; ++i)
      if (p.steps[i].kind == step_kind::loop_end) loop_end[p.steps[i].node] = i;
    for (int i = 0; i < p.step_count; ++i) {
      const step& s = p.steps[i];
      if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) {
        const region_entry& r = g.region(s.node);
        for (int k = 0; k < r.carried; ++k)
          if (s.kind == step_kind::loop_begin)
            need(g.operand(r.first + k, 0), i, r.parent);
          else
            need(r.results[k], i, s.node);
        if (s.kind == step_kind::loop_end)
          for (int id = r.first; id < r.last; ++id)
            if (stacks(id, s.node)) need(id, i, r.parent);
        continue;
      }
      step_of[s.node] = i;
      if (s.has_parts())
        for (int k = 0; k < s.count; ++k) step_of[p.parts[s.first + k]] = i;
    }
    for (int id = 0; id < g.node_count(); ++id) {
      if (!p.groups.live[id] || p.groups.base[id] != id) continue;
      const node& n = g.at(id);
      if (n.kind == op::range || n.kind == op::sinusoidal || n.kind == op::carry || n.kind == op::input)
        continue;
      const bool weight_only = fixed_weight(g, id) >= 0;
      for (int k = 0; k < n.operand_count; ++k)
        if (!(weight_only && k == 1)) need(g.operand(id, k), step_of[p.groups.root[id]], n.region);
    }
    for (const named_value& out : g.outputs) last_use[p.base(out.node)] = p.step_count;
  }

  constexpr int new_slot(const extent& e) {
    if (p.slot_count == plan<nodes, regions>::max_slots) {
      p.overflow = true;
      return 0;
    }
    p.slots[p.slot_count] = e;
    return p.slot_count++;
  }
  // The smallest free slot that is large enough, else the largest that can grow, else a new one.
  constexpr int take(const extent& e) {
    int best = -1;
    for (int i = 0; i < p.slot_count; ++i) {
      if (!free[i] || !same_dims(p.slots[i], e)) continue;
      const std::int64_t size = p.slots[i].factor, chosen = best < 0 ? 0 : p.slots[best].factor;
      const bool better =
          best < 0 || (chosen >= e.factor ? size >= e.factor && size < chosen : size > chosen);
      if (better) best = i;
    }
    if (best < 0) return new_slot(e);
    free[best] = false;
    if (p.slots[best].factor < e.factor) p.slots[best].factor = e.factor;
    return best;
  }

  /// Whether a step writes a value, to where it is told.
  constexpr bool is_made(int id) const {
    const op kind = g.at(id).kind;
    return kind != op::carry && kind != op::parameter && kind != op::state && kind != op::cache &&
           p.groups.is_root(id) && !p.groups.taken[id];
  }

  constexpr void place_loop(int i, bool (&kept)[plan<nodes, regions>::max_slots]) {
    const int region = p.steps[i].node;
    const region_entry& r = g.region(region);
    for (int k = 0; k < r.carried; ++k) {
      carried_value& c = p.carried[region][k];
      const extent e = extent_of(g, g.at(r.first + k).shape);
      const int initial = p.base(g.operand(r.first + k, 0));
      bool taken = false;
      for (int j = 0; j < k; ++j) taken |= p.base(g.operand(r.first + j, 0)) == initial;
      // The exchange of slots is undone before each call, so only outermost loops can take a slot over.
      // Tables are there for the next call, too.
      const bool take_over = r.parent == 0 && !taken && slot[initial] >= 0 && last_use[initial] == i &&
                             g.at(initial).kind != op::input && g.at(initial).kind != op::carry &&
                             !p.tables[initial];
      c.slot = take_over ? slot[initial] : new_slot(e);
      c.initial = take_over ? -1 : g.operand(r.first + k, 0);
      c.next = new_slot(e);
      kept[c.slot] = kept[c.next] = true;
      slot[r.first + k] = c.slot;
      const int result = p.base(r.results[k]);
      bool own = g.at(result).region == region && is_made(result);
      for (int j = 0; j < k; ++j) own &= p.base(r.results[j]) != result;
      c.copied = own ? -1 : r.results[k];
      if (own) slot[result] = c.next;
    }
  }

  constexpr void place() {
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      slot[i] = -1;
      p.handed_on[i] = -1;
    }
    bool kept[plan<nodes, regions>::max_slots] = {};
    // Values by the step after which they are free: lists through `next`.
    std::int32_t freed[nodes + 2 * regions + 1] = {};
    std::int32_t next[nodes] = {};
    for (std::int32_t& head : freed) head = -1;
    const auto store = [&](int id) {
      if (slot[id] < 0 && p.tables[id]) {
        slot[id] = new_slot(extent_of(g, g.at(id).shape));
        kept[slot[id]] = true;
      }
      if (slot[id] < 0) slot[id] = take(extent_of(g, g.at(id).shape));
      const int after = last_use[id];
      next[id] = freed[after];
      freed[after] = id;
    };
    for (const named_value& in : g.inputs) {
      store(in.node);
      kept[slot[in.node]] = true;
    }
    // Nothing else is written where inputs lie, and they are no outputs: a call may read them where its
    // caller has them, and that may be an output of the call before.
    for (const named_value& out : g.outputs)
      if (const int b = p.base(out.node); g.at(b).kind == op::input && p.handed_on[b] < 0)
        p.handed_on[b] = new_slot(extent_of(g, g.at(b).shape));
    for (int i = 0; i < p.step_count; ++i) {
      step& s = p.steps[i];
      if (s.kind == step_kind::loop_begin) {
        place_loop(i, kept);
        const region_entry& r = g.region(s.node);
        for (int id = r.first; id < r.last; ++id)
          if (stacks(id, s.node)) {
            store(id);
            if (const int b = p.base(g.operand(id, 0)); collects(id, b)) {
              slot[b] = slot[id];
              collected[b] = true;
            }
          }
      } else if (s.kind != step_kind::loop_end) {
        const auto store_own = [&](int id) {
          if (!collected[id]) store(id);
        };
        if (s.has_parts())
          for (int k = 0; k < s.count; ++k) store_own(p.parts[s.first + k]);
        else if (!has_own_place(g.at(s.node).kind) && !p.groups.taken[s.node])
          store_own(s.node);
        add_temporaries(s);
      }
      for (int id = freed[i]; id >= 0; id = next[id])
        if (!kept[slot[id]]) free[slot[id]] = true;
    }
    for (int id = 0; id < g.node_count(); ++id) p.places[id] = place_of(id);
  }
  constexpr core::place place_of(int id) const {
    const node& n = g.at(id);
    if (p.groups.taken[id]) return {lies::inside};
    if (n.kind == op::state || n.kind == op::cache || n.kind == op::keep) return {lies::kept, kept_index(n)};
    if (n.kind == op::parameter) return {lies::parameter, n.settings.entry.index};
    if (slot[id] < 0) return {};
    return {collected[id] ? lies::each_pass : lies::slot, slot[id]};
  }

  constexpr void add_temporaries(step& s) {
    const auto scratch = scratch_of(g, p, s);
    for (int i = 0; i < 2; ++i)
      if (scratch[static_cast<std::size_t>(i)].factor > 0)
        s.temporary[i] = take(scratch[static_cast<std::size_t>(i)]);
    for (const std::int32_t t : s.temporary)
      if (t >= 0) free[t] = true;
  }
};

} // namespace fovea::core::detail
