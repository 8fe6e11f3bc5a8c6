#pragma once

#include <cstddef>
#include <cstdint>

#include <fovea/dsl/graph.hpp>
#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/needed.hpp>

namespace fovea::core::detail {

/// Writes a graph anew, but for its outputs: `write(id)` adds to it what is to stand for a node of `from`,
/// and gives its id, or -1 where nothing does. All inputs and parameters stay. It has the tables of `from`.
template <class F>
constexpr void rewrite(graph& to, const graph& from, std::int32_t (&mapped)[graph::max_nodes],
                       const F& write) {
  for (int id = 0; id < from.node_count; ++id) {
    const int region = from.nodes[id].region;
    if (region != 0 && id == from.regions[region].first) to.regions[region].first = to.node_count;
    mapped[id] = write(id);
    for (int r = region; r != 0 && id == from.regions[r].last - 1; r = from.regions[r].parent)
      to.regions[r].last = to.node_count;
  }
  for (int r = 1; r < from.region_count; ++r) {
    const region_entry& body = from.regions[r];
    const bool gone = body.carried == 0 || mapped[body.results[0]] < 0; // though its parameters stay
    if (gone) to.regions[r].carried = 0;
    for (int k = 0; k < to.regions[r].carried; ++k) to.regions[r].results[k] = mapped[body.results[k]];
  }
  for (int i = 0; i < from.parameter_count; ++i) to.parameters[i].node = mapped[from.parameters[i].node];
  for (int i = 0; i < from.input_count; ++i)
    to.inputs[to.input_count++] = {from.inputs[i].name, mapped[from.inputs[i].node]};
}

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
  rewrite(to, from, mapped, [&](int id) {
    if (!live[id]) return -1;
    node made = from.nodes[id];
    made.first_operand = to.operand_count;
    for (int k = 0; k < made.operand_count; ++k)
      to.operands[to.operand_count++] = mapped[from.operand(id, k)];
    to.nodes[to.node_count] = made;
    return to.node_count++;
  });
  for (int i = 0; i < count; ++i)
    if (roots[i] >= 0) roots[i] = mapped[roots[i]];
}

} // namespace fovea::core::detail
