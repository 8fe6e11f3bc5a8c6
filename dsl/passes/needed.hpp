#pragma once

#include <fovea/dsl/graph.hpp>

namespace fovea::core::detail {

/// Marks what a node needs. A loop that gives something needs all that it carries.
constexpr void mark_operands(const graph& g, int id, bool (&marked)[graph::max_nodes]) {
  const node& n = g.nodes[id];
  for (int k = 0; k < n.operand_count; ++k) marked[g.operand(id, k)] = true;
  if (n.kind != op::repeat_output && n.kind != op::scan_output) return;
  const region_entry& r = g.regions[n.settings.carried.region];
  for (int k = 0; k < r.carried; ++k) marked[r.first + k] = marked[r.results[k]] = true;
}

/// Marks all that the marked nodes need: what is needed inside a loop is found once all that comes after it
/// is known.
constexpr void mark_needed(const graph& g, bool (&marked)[graph::max_nodes]) {
  for (int id = g.node_count - 1; id >= 0; --id)
    if (marked[id]) mark_operands(g, id, marked);
}

} // namespace fovea::core::detail
