#pragma once

#include <span>
#include <vector>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/runtime/options.hpp>

namespace fovea::core::detail {

/// What a list of capacities and the model itself say of every symbol.
std::vector<dim_size> full_capacity(graph_view graph, const char* name, std::span<const dim_size> capacity);

/// Of a list of capacities those of symbols that a graph has.
std::vector<dim_size> capacity_for(graph_view graph, std::span<const dim_size> capacity);

/// Whether there is a last position: where all keys and values are kept, and where positions choose among
/// vectors or are numbers.
constexpr bool counts_positions(const graph_view& g) {
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if (n.kind == op::cache && n.settings.cache.kept == 0) return true;
    if (n.kind == op::equal && g.at(g.operand(id, 0)).kind == op::position) continue; // is it the beginning?
    for (int k = 0; k < n.operand_count; ++k)
      if (g.at(g.operand(id, k)).kind == op::position) return true;
  }
  return false;
}

} // namespace fovea::core::detail
