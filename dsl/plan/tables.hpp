#pragma once

#include <cstddef>

#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::detail {

/// Whether a node whose operands are so is the same in every call: made of numbers and counts alone, of sizes that
/// are numbers.
template <std::size_t nodes>
constexpr bool is_same_in_all_calls(const graph_view& g, int id, const bool (&same)[nodes]) {
  const node& n = g.at(id);
  if (n.region != 0) return false;
  for (int axis = 0; axis < n.shape.rank; ++axis)
    if (!g.is_number(n.shape[axis])) return false;
  if (n.kind == op::slice && !g.is_number(n.settings.slice.first)) return false;
  if (n.kind == op::range || n.kind == op::constant) return true;
  const family of = operation_of(n.kind).of;
  if (!is_elementwise(n.kind) && of != family::shape && of != family::reduction) return false;
  for (int k = 0; k < n.operand_count; ++k)
    if (!same[g.operand(id, k)]) return false;
  return true;
}

/// Finds the steps that make tables: what products have on their right side that is the same in every call, as the
/// sines of a transform are, and what these are made of. They run once, before the first call.
template <std::size_t nodes, std::size_t regions>
constexpr void find_tables(const graph_view& g, plan<nodes, regions>& p) {
  bool same[nodes] = {}, makes[nodes] = {},
       once[nodes] = {};   // of roots: whether a step makes it, and that once
  bool leaves[nodes] = {}; // the graph, or a loop
  for (const named_value& out : g.outputs) leaves[p.base(out.node)] = true;
  for (const region_entry& r : g.regions)
    for (int k = 0; k < r.carried; ++k) leaves[p.base(r.results[k])] = true;
  for (int id = 0; id < g.node_count(); ++id)
    same[id] = p.groups.live[id] && !leaves[id] && is_same_in_all_calls(g, id, same);
  const auto may_be_once = [](const step& s) {
    return s.kind == step_kind::chain || s.kind == step_kind::single;
  };
  for (int i = 0; i < p.step_count; ++i)
    if (const step& s = p.steps[i]; may_be_once(s)) makes[s.node] = same[s.node];
  // Whoever reads a value comes after it, and is known already.
  for (int id = g.node_count() - 1; id >= 0; --id) {
    const node& n = g.at(id);
    if (!p.groups.live[id] || p.groups.base[id] != id || p.groups.viewed[id]) continue;
    if (n.kind == op::range || n.kind == op::sinusoidal) continue; // of their operand they take the size
    for (int k = 0; k < n.operand_count; ++k) {
      int from = p.base(g.operand(id, k));
      while (p.groups.viewed[from]) from = p.base(g.operand(from, 0));
      if (!makes[from]) continue;
      const bool read_once = once[p.groups.root[id]];
      once[from] |= read_once || (n.kind == op::matmul && k == 1);
      p.tables[from] |= !read_once;
    }
  }
  for (int id = 0; id < g.node_count(); ++id) p.tables[id] &= once[id];
  for (int i = 0; i < p.step_count; ++i)
    if (step& s = p.steps[i]; may_be_once(s)) s.once = once[s.node];
}

} // namespace fovea::core::detail
