#pragma once

#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/dsl/plan/fuse.hpp>

namespace fovea::core::simd {

/// A plan's epilogue in the kernels' terms.
inline activation kernel_activation(epilogue e) {
  switch (e) {
    case epilogue::none:
      return activation::none;
    case epilogue::relu:
      return activation::relu;
    case epilogue::gelu:
      return activation::gelu;
    case epilogue::gelu_tanh:
      return activation::gelu_tanh;
    case epilogue::silu:
      return activation::silu;
    case epilogue::sigmoid:
      return activation::sigmoid;
    case epilogue::tanh:
      return activation::tanh;
  }
  return activation::none;
}

inline combine kernel_join(joining j) {
  return j == joining::add ? combine::add : j == joining::multiply ? combine::multiply : combine::none;
}

} // namespace fovea::core::simd
