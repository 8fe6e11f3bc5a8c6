#pragma once

#include <fovea/dsl/gradients/affine.hpp>
#include <fovea/dsl/gradients/attention.hpp>
#include <fovea/dsl/gradients/convolution.hpp>
#include <fovea/dsl/gradients/elementwise.hpp>
#include <fovea/dsl/gradients/loss.hpp>
#include <fovea/dsl/gradients/norm.hpp>
#include <fovea/dsl/gradients/position.hpp>
#include <fovea/dsl/gradients/reduce.hpp>
#include <fovea/dsl/gradients/shape_words.hpp>

namespace fovea::core::detail {

/// Whether an operation passes a gradient on at all: what chooses, counts or rounds does not.
constexpr bool passes_gradient(const node& n) {
  return n.type == element::f32 && n.kind != op::stop_gradient && n.kind != op::floor &&
         n.kind != op::to_float && n.kind != op::sinusoidal;
}

/// The rule of an operation; false where it has none.
template <class S>
constexpr bool add_gradients(S& site) {
  if (is_elementwise(site.n.kind)) return elementwise_gradient(site), true;
  if (is_convolution(site.n.kind)) return convolution_gradient(site), true;
  switch (site.n.kind) {
    case op::linear:
      return linear_gradient(site), true;
    case op::matmul:
      return matmul_gradient(site), true;
    case op::gather:
      return gather_gradient(site), true;
    case op::layer_norm:
    case op::rms_norm:
      return row_norm_gradient(site), true;
    case op::batch_norm:
      return batch_norm_gradient(site), true;
    case op::group_norm:
      return group_norm_gradient(site), true;
    case op::softmax:
    case op::log_softmax:
      return softmax_gradient(site), true;
    case op::cross_entropy:
      return cross_entropy_gradient(site), true;
    case op::sum:
    case op::mean:
    case op::max_over:
    case op::min_over:
      return reduce_gradient(site), true;
    case op::reshape:
    case op::transpose:
    case op::permute:
    case op::slice:
    case op::concat:
    case op::pad:
    case op::reverse:
    case op::broadcast:
      return shape_gradient(site), true;
    case op::attention:
    case op::attention_map:
      return attention_gradient(site), true;
    case op::rope:
      return rope_gradient(site), true;
    case op::max_pool:
    case op::avg_pool:
      return pool_gradient(site), true;
    default:
      return false;
  }
}

} // namespace fovea::core::detail
