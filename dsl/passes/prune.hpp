#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/graph.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/needed.hpp>

namespace fovea::detail {

/// A graph without the nodes that none of `roots` needs; each root becomes the node that now stands for it.
/// Inputs and parameters stay.
template <std::size_t root_count>
constexpr void prune(graph& to, const graph& from, std::int32_t (&roots)[root_count], int count) {
  bool live[graph::max_nodes] = {};
  std::int32_t mapped[graph::max_nodes] = {};
  for (int i = 0; i < count; ++i)
    if (roots[i] >= 0) live[roots[i]] = true;
  for (int i = 0; i < from.input_count; ++i) live[from.inputs[i].node] = true;
  for (int i = 0; i < from.parameter_count; ++i) live[from.parameters[i].node] = true;
  mark_needed(from, live);
  copy_tables(to, from);
  for (int id = 0; id < from.node_count; ++id) {
    const node& n = from.nodes[id];
    if (n.region != 0 && id == from.regions[n.region].first) to.regions[n.region].first = to.node_count;
    if (live[id]) {
      node made = n;
      made.first_operand = to.operand_count;
      for (int k = 0; k < n.operand_count; ++k) to.operands[to.operand_count++] = mapped[from.operand(id, k)];
      mapped[id] = to.node_count;
      to.nodes[to.node_count++] = made;
    }
    for (int r = n.region; r != 0 && id == from.regions[r].last - 1; r = from.regions[r].parent)
      to.regions[r].last = to.node_count;
  }
  for (int r = 1; r < from.region_count; ++r) {
    const bool gone = to.regions[r].first == to.regions[r].last;
    if (gone) to.regions[r].carried = 0;
    for (int k = 0; k < to.regions[r].carried; ++k)
      to.regions[r].results[k] = mapped[from.regions[r].results[k]];
  }
  for (int i = 0; i < from.parameter_count; ++i) to.parameters[i].node = mapped[from.parameters[i].node];
  for (int i = 0; i < from.input_count; ++i)
    to.inputs[to.input_count++] = {from.inputs[i].name, mapped[from.inputs[i].node]};
  for (int i = 0; i < count; ++i)
    if (roots[i] >= 0) roots[i] = mapped[roots[i]];
}

} // namespace fovea::detail
