#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// A convolution and its transposed form are each other's gradient with respect to x. With respect to the
/// weight: dW[o, i, k] = sum over t of dy[t, o] x[t * stride + k * dilation - padding, i], where of a
/// transposed convolution x and dy change places.
///   conv_weight_gradient  operands: x, dy
template <class S>
constexpr void convolution_gradient(S& site) {
  const source_place at = site.n.at;
  graph& g = *site.d.owner;
  const bool back = is_transposed(site.n.kind);
  if (site.wants(0)) {
    const op kind = site.n.kind == op::conv1d             ? op::conv_transpose1d
                    : site.n.kind == op::conv2d           ? op::conv_transpose2d
                    : site.n.kind == op::conv_transpose1d ? op::conv1d
                                                          : op::conv2d;
    site.pass(0, g.add({.kind = kind, .shape = site.shape_of(0), .settings = site.n.settings, .at = at},
                       site.d, site.x(1)));
  }
  if (site.wants(1)) {
    const node made{
        .kind = op::conv_weight_gradient, .shape = site.shape_of(1), .settings = site.n.settings, .at = at};
    site.pass(1, back ? g.add(made, site.d, site.x(0)) : g.add(made, site.x(0), site.d));
  }
  if (site.n.operand_count > 2 && site.wants(2)) site.pass_column_sums(2, site.d);
}

/// The largest of a window, the first of equals, gets its place's gradient; all that a mean counts share it.
///   max_pool_gradient  operands: x, dy
///   avg_pool_gradient  operands: dy
template <class S>
constexpr void pool_gradient(S& site) {
  graph& g = *site.d.owner;
  node made{
      .kind = op::avg_pool_gradient, .shape = site.shape_of(0), .settings = site.n.settings, .at = site.n.at};
  if (site.n.kind == op::avg_pool) return site.pass(0, g.add(made, site.d));
  made.kind = op::max_pool_gradient;
  site.pass(0, g.add(made, site.x(0), site.d));
}

/// stft and its transposed form are each other's gradient with respect to x; window and turns are tables.
template <class S>
constexpr void spectrum_gradient(S& site) {
  const op kind = site.n.kind == op::stft ? op::stft_transposed : op::stft;
  site.pass(0, site.d.owner->add(
                   {.kind = kind, .shape = site.shape_of(0), .settings = site.n.settings, .at = site.n.at},
                   site.d, site.x(1), site.x(2)));
}

} // namespace fovea::core::detail
