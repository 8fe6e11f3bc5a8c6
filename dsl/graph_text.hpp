#pragma once

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// What a region of a graph is: "repeat 12 times", "scan over T, reversed".
constexpr sentence loop_text(const graph_view& g, const region_entry& r) {
  sentence s;
  if (!r.is_scan()) return s << "repeat " << r.count << (r.count == 1 ? " time" : " times");
  return s << "scan over " << g.dim_of(r.time) << (r.reversed ? ", reversed" : "");
}

/// What an operation is called in a graph: its word, or what it is for a loop or a stream.
constexpr const char* word_in_graph(op kind) {
  switch (kind) {
    case op::carry:
      return "carry";
    case op::repeat_output:
    case op::scan_output:
      return "result";
    case op::time_step:
      return "step";
    case op::time_index:
      return "step_number";
    case op::stack:
      return "stack";
    case op::state:
      return "state";
    case op::keep:
      return "keep";
    case op::cache:
      return "cache";
    case op::position:
      return "position";
    case op::outside:
      return "outside";
    default:
      return word_of(kind);
  }
}

} // namespace fovea::core
