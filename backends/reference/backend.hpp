#pragma once

#include <fovea/backends/optimizer.hpp>
#include <fovea/backends/reference/engine.hpp>

namespace fovea::core {

/// Runs the specification instead of kernels: compile<reference>(model, weights, options). Slow, in double
/// precision.
struct reference {
  using model_code = no_code;
  template <class M>
  static constexpr model_code code_of_model() {
    return {};
  }
  template <class M>
  using engine = reference_engine<M>;
  static void update(const optimizer_args& a);
};

/// The specification of learning in bf16_products: train<reference_in_bfloat>(model, optimizer, weights).
struct reference_in_bfloat : reference {
  template <class M>
  using engine = reference_engine<M, true>;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::reference;
} // namespace fovea
