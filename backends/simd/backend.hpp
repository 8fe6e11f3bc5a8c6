#pragma once

#include <fovea/backends/optimizer.hpp>
#include <fovea/backends/simd/generate_model.hpp>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/model_engine.hpp>
#include <fovea/backends/simd/single_position.hpp>

namespace fovea::core::simd {

/// Runs the kernels of the instruction set in use, and code that is generated for the model.
struct backend : model_generator {
  template <class M>
  using engine = model_engine<M>;
  template <class step_model, dim time>
  using single_position = simd::single_position<step_model, time>;
  static void update(const optimizer_args& a) { kernels().update(a); }
};

} // namespace fovea::core::simd
