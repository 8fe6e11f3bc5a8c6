#pragma once

#include <type_traits>

#include <fovea/dsl/passes/hoist.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core {

namespace detail {

constexpr bool has_scans(const graph_view& g) {
  for (const region_entry& r : g.regions)
    if (r.is_scan()) return true;
  return false;
}

} // namespace detail

/// The passes from the graph that was declared to the one that is planned, in order. Each takes a type with a
/// graph_view `view` and is one; each keeps inputs, outputs and parameters in their order.
template <class graph_of>
using transformed = std::conditional_t<detail::has_scans(graph_of::view), hoisted<graph_of>, graph_of>;

/// What backends/simd is given of a model: the transformed graph and its plan.
template <class graph_of>
struct lowering {
  static constexpr const graph_view& view = transformed<graph_of>::view;
  static constexpr const auto& schedule = planned<lowering>::result;
  static_assert(!schedule.overflow, "the model keeps more values at a time than a plan has slots [F0281]");
};

} // namespace fovea::core
