#pragma once

#include <fovea/backends/optimizer.hpp>
#include <fovea/backends/simd/format_code.hpp>
#include <fovea/backends/simd/generate_model.hpp>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/backends/simd/model_engine.hpp>
#include <fovea/backends/simd/position_block.hpp>
#include <fovea/backends/simd/single_position.hpp>

namespace fovea::core::simd {

/// Runs the kernels of the instruction set in use, and code that is generated for the model.
struct backend : model_generator<""> {
  template <class M>
  using engine = model_engine<M>;
  template <class step_model, dim time>
  using single_position = simd::single_position<step_model, time>;
  template <class step_model, dim time>
  using position_block = simd::position_block<step_model, time>;
  /// The same code for weights in a format, with its kernels of the sets that are named, else of all.
  template <weight_format format, set_name... sets>
  static constexpr model_code in_format(model_code code) {
    if constexpr (format != weight_format::f32) code.format = &code_of_format<format, sets...>;
    return code;
  }
  template <weight_format format, set_name... sets>
  static constexpr stream_code in_format(stream_code code) {
    code.step = in_format<format, sets...>(code.step), code.begin = in_format<format, sets...>(code.begin);
    return code;
  }
  /// The same code for a model that learns in bf16_products.
  template <set_name... sets>
  static constexpr model_code learning_in_bfloat(model_code code) {
    code.format = &code_of_bfloat_training<sets...>;
    return code;
  }
  static void update(const optimizer_args& a) {
    static const auto& kernel = kernel_in_use<kernel_name::update>();
    kernel.run(a);
  }
};

} // namespace fovea::core::simd
