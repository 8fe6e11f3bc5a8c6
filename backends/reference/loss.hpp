#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// -log of the share of the target in softmax(x), x [..., classes], of which `smoothing` is spread over all
/// classes; a target that is no class adds nothing but what is spread (Szegedy et al. 2016, section 7).
array cross_entropy(const array& x, const array& targets, double smoothing);

/// Its gradient with respect to x, d being that of the result.
array cross_entropy_gradient(const array& x, const array& targets, const array& d, double smoothing);

} // namespace fovea::core::reference_ops
