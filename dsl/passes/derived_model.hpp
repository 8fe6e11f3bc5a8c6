#pragma once

#include <cstdint>

#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/passes/passes.hpp>
#include <fovea/dsl/plan/cost.hpp>
#include <fovea/dsl/plan/lowering.hpp>

namespace fovea::core::detail {

/// What a pipeline made of a declaration, behind the interface of a model. Its first pass names the call.
template <class made_by>
struct derived_model : kept_graph<typename made_by::result> {
  static constexpr const char* call = made_by::made::call;
  using kept_graph<typename made_by::result>::view;
  using lowered = lowering<kept_graph<typename made_by::result>>;
  static constexpr std::int64_t parameters() {
    constexpr std::int64_t count = count_parameters(view);
    return count;
  }
};

/// What a stream of a declaration runs: in each step along `time`, and once before the first.
template <class source, dim time>
using step_of = derived_model<pipelines::stream_step<source, time>>;
template <class source, dim time>
using begin_of = derived_model<pipelines::stream_begin<source, time>>;

} // namespace fovea::core::detail
