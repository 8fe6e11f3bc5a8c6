#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fovea/backends/simd/generated.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::simd {

struct shared_weights;

/// A compiled model as what tells of it sees it: explanations, and readers of measured times.
struct net_view {
  const char* name; // of the model
  const graph_view* graph;
  const plan_view* plan;
  const shared_weights* weights;
  const generated_step* code; // of all steps
  std::size_t threads;

  /// Whether a step is a scan that is one function: its steps run in it, none by itself.
  bool is_small_scan(int i) const {
    return plan->steps[i].kind == step_kind::loop_begin && code[i].scan != nullptr;
  }
  /// The step behind step i, of a scan of one function that behind its end.
  int after(int i) const { return (is_small_scan(i) ? plan->steps[i].first : i) + 1; }
  /// The node whose word and name stand for a part of a step.
  int node_of(const step& s, int part) const {
    if (!s.has_parts()) return s.node;
    const int root = plan->parts[s.first + part];
    return plan->product[root] >= 0 ? plan->product[root] : root;
  }
  static int parts_of(const step& s) { return s.has_parts() ? s.count : 1; }
};

/// The size of each dim of a graph in a call.
using dim_values = std::span<const std::int64_t>;

} // namespace fovea::core::simd
