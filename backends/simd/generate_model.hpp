#pragma once

#include <type_traits>
#include <utility>

#include <fovea/backends/simd/block_code.hpp>
#include <fovea/backends/simd/generate.hpp>
#include <fovea/backends/simd/model_kernels.hpp>
#include <fovea/backends/simd/position_code.hpp>
#include <fovea/dsl/passes/derived_model.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>
#include <fovea/dsl/passes/stream_begin.hpp>
#include <fovea/dsl/passes/stream_step.hpp>

namespace fovea::core::simd {

/// The code that is generated for a declared model `M`, of the set that the file is compiled for, with kernels
/// of one set, or where its name is empty of that in use.
template <set_name set>
struct model_generator {
  using model_code = simd::model_code;
  using stream_code = generated_stream;

  template <class M, class Arch = native>
  static constexpr model_code code_of_model() {
    return {generated_code<typename M::lowered, Arch>::steps.data(),
            &chosen_kernels<typename M::lowered, set>};
  }
  /// What moves it along `time`. A model that is not causal along it is a compile-time error.
  template <class M, dim time, class Arch = native>
  static constexpr stream_code code_of_stream() {
    using stepping = fovea::core::detail::streamed_step<typename M::source, time>;
    if constexpr (stepping::error.empty()) {
      using step = fovea::core::detail::step_of<typename M::source, time>;
      using begin = fovea::core::detail::begin_of<typename M::source, time>;
      return {code_of_model<step, Arch>(), code_of_model<begin, Arch>(),
              position_code<typename step::lowered, time>::template generated<Arch>(),
              block_code<typename step::lowered, time>::template generated<Arch>()};
    } else {
      static_cast<void>(sizeof(fovea::core::detail::report_of<stepping>));
      return {};
    }
  }
};

/// All of it, which fovea_add_model makes for every set: with `learns` also that of the gradients of a model
/// with a loss, with a dim that of its stream along it.
template <class declared, set_name set, bool learns, dim... time>
constexpr generated_model code_of_all() {
  using M = std::remove_cvref_t<declared>;
  if constexpr (!M::well_formed) { // which has been said
    return {};
  } else {
    using made_of = model_generator<set>;
    generated_model made{.steps = made_of::template code_of_model<M>()};
    if constexpr (learns) {
      using G = std::remove_const_t<decltype(gradients<false, true>(std::declval<const M&>()))>;
      if constexpr (fovea::core::detail::find_loss(M::view) >= 0 && G::well_formed)
        made.gradients = made_of::template code_of_model<G>();
    }
    ((made.stream = made_of::template code_of_stream<M, time>()), ...);
    return made;
  }
}

} // namespace fovea::core::simd
