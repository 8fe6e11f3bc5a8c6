#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// x W^T by the expert of each row: x [..., in], or [..., active, in], weight [experts * out, in], which [...,
/// active] -> [..., active, out], the given shape. Throws fovea::error where `which` names no expert.
array expert_linear(const array& x, const array& weight, const array& which, const array_shape& shape,
                    source_place at);

/// Its gradient with respect to x, of each expert of a row apart: d [..., active, out] -> [..., active, in].
array expert_linear_gradient(const array& d, const array& weight, const array& which,
                             const array_shape& shape);

/// Its gradient with respect to the weight: d [..., active, out], x as above -> [experts * out, in].
array expert_weight_gradient(const array& d, const array& x, const array& which, const array_shape& shape);

} // namespace fovea::core::reference_ops
