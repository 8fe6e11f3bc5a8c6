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
#include <fovea/dsl/ranks.hpp>

namespace fovea::core::detail {

/// Whether an operation passes a gradient on at all: what chooses, counts or rounds does not.
constexpr bool passes_gradient(const node& n) {
  return n.type == element::f32 && n.kind != op::stop_gradient && n.kind != op::floor &&
         n.kind != op::to_float && n.kind != op::sinusoidal;
}

/// The rule of an operation; false where it has none.
template <class S>
constexpr bool add_gradients(S& site) {
  const op kind = site.n.kind;
  switch (operation_of(kind).of) {
    case family::unary:
    case family::binary:
    case family::choice:
      return elementwise_gradient(site), true;
    case family::product:
      if (kind == op::expert_linear) return expert_linear_gradient(site), true;
      return kind == op::linear ? linear_gradient(site) : matmul_gradient(site), true;
    case family::lookup:
      return kind == op::gather ? gather_gradient(site) : take_along_gradient(site), true;
    case family::norm:
      if (kind == op::batch_norm) return batch_norm_gradient(site), true;
      return kind == op::group_norm ? group_norm_gradient(site) : row_norm_gradient(site), true;
    case family::softmax:
      return softmax_gradient(site), true;
    case family::loss:
      return cross_entropy_gradient(site), true;
    case family::reduction:
      return reduce_gradient(site), true;
    case family::shape:
      return shape_gradient(site), true;
    case family::attention:
      return attention_gradient(site), true;
    case family::convolution:
      return convolution_gradient(site), true;
    case family::pooling:
      return pool_gradient(site), true;
    case family::spectrum:
      return spectrum_gradient(site), true;
    case family::positions:
      if (kind != op::rope) return false;
      return rope_gradient(site), true;
    case family::ranks: // the update is by the mean of their losses
      return site.pass(0, mean_over_ranks(site.d, site.n.at)), true;
    default:
      return false;
  }
}

} // namespace fovea::core::detail
