#pragma once

#include <cstdint>

#include <fovea/dsl/passes/copy_tables.hpp>
#include <fovea/dsl/passes/graph_writer.hpp>
#include <fovea/dsl/passes/needed.hpp>
#include <fovea/dsl/passes/passes.hpp>

namespace fovea::core {

namespace detail {

/// Writes a graph without the nodes that neither an output nor what training makes of a parameter or an input
/// needs. Inputs and parameters stay.
struct pruner {
  const graph& g;
  graph& to;
  graph_view view = view_of_tables(g);
  bool live[graph::max_nodes] = {};
  std::int32_t mapped[graph::max_nodes] = {};

  constexpr std::int32_t write(int id) { return live[id] ? copy_node(to, view, id, mapped) : -1; }
  constexpr void run() {
    const auto need = [this](std::int32_t id) {
      if (id >= 0) live[id] = true;
    };
    for (const named_value& in : view.inputs) need(in.node), need(in.gradient);
    for (const named_value& out : view.outputs) need(out.node);
    for (const parameter_entry& p : view.parameters) need(p.node), need(p.gathered), need(p.gradient);
    mark_needed(g, live);
    copy_tables(to, g);
    write_graph(to, view, *this);
    write_outputs(to, view, [this](int id) { return mapped[id]; });
  }
};

} // namespace detail

struct passes::prune {
  static constexpr const char* name = "prune";
  template <class before>
  using made = detail::written_by<detail::pruner, before>;
};

} // namespace fovea::core
