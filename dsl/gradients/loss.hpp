#pragma once

#include <fovea/dsl/gradients/site.hpp>

namespace fovea::core::detail {

/// Cross entropy: dx = dy ((1 - s) (softmax(x) - one where the target is) + s (softmax(x) - 1 / classes)),
/// the first part only where the target is a class.
///   cross_entropy_gradient  operands: logits, targets, dy
template <class S>
constexpr void cross_entropy_gradient(S& site) {
  if (!site.wants(0)) return;
  site.pass(0, site.d.owner->add({.kind = op::cross_entropy_gradient,
                                  .shape = site.shape_of(0),
                                  .settings = site.n.settings,
                                  .at = site.n.at},
                                 site.x(0), site.x(1), site.d));
}

} // namespace fovea::core::detail
