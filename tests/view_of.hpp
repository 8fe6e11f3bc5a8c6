#pragma once

#include <cstddef>
#include <span>

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core::test {

/// A graph that was declared when the program runs, as passes and backends see one.
inline graph_view view_of(const graph& g) {
  const auto first = [](const auto& table, int count) {
    return std::span(table).first(static_cast<std::size_t>(count));
  };
  return {first(g.nodes, g.node_count),      first(g.operands, g.operand_count),
          first(g.dim_numbers, g.dim_count), first(g.forms, g.form_count),
          first(g.scopes, g.scope_count),    first(g.parameters, g.parameter_count),
          first(g.inputs, g.input_count),    first(g.outputs, g.output_count),
          first(g.regions, g.region_count),  first(g.functions, g.function_count),
          first(g.windows, g.window_count),  first(g.scalings, g.scaling_count)};
}

} // namespace fovea::core::test
