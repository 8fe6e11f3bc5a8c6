#pragma once

#include <utility>

#include <fovea/backends/simd/generate.hpp>
#include <fovea/backends/simd/position_code.hpp>
#include <fovea/dsl/passes/derived_model.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>
#include <fovea/dsl/passes/stream_begin.hpp>
#include <fovea/dsl/passes/stream_step.hpp>

namespace fovea::core::simd {

// With code_of_model, all the code that is generated for a declared model `M`: what compile, stream and train
// take in the user's file, and what fovea_add_model makes for every set.

/// What moves it along `time`. A model that is not causal along it is a compile-time error.
template <class M, dim time, class Arch = native>
constexpr generated_stream code_of_stream() {
  using stepping = fovea::core::detail::streamed_step<typename M::source, time>;
  if constexpr (stepping::error.empty()) {
    using fovea::core::detail::derived_model;
    using step = typename derived_model<pipelines::stream_step<typename M::source, time>>::lowered;
    using begin = typename derived_model<pipelines::stream_begin<typename M::source, time>>::lowered;
    return {generated_code<step, Arch>::steps.data(), generated_code<begin, Arch>::steps.data(),
            position_code<step, time>::template generated<Arch>()};
  } else {
    static_cast<void>(sizeof(fovea::core::detail::report_of<stepping>));
    return {};
  }
}

/// The steps of its gradients while it is trained, or none.
template <class M, class Arch = native>
constexpr const generated_step* code_of_gradients() {
  using G = decltype(gradients<false, true>(std::declval<const M&>()));
  if constexpr (fovea::core::detail::find_loss(M::view) >= 0 && G::well_formed)
    return generated_code<typename G::lowered, Arch>::steps.data();
  else
    return nullptr;
}

} // namespace fovea::core::simd
