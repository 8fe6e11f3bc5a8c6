#pragma once

#include <fovea/dsl/plan/planned.hpp>

namespace fovea::core {

/// What backends/simd is given of a model: the graph after all passes, the `view` of `made`, and its plan.
template <class made>
struct lowering {
  static constexpr const graph_view& view = made::view;
  static constexpr const auto& schedule = planned<made>::result;
  static_assert(!schedule.overflow, "the model keeps more values at a time than a plan has slots [F0281]");
};

} // namespace fovea::core
