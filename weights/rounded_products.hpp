#pragma once

#include <vector>

#include <fovea/dsl/graph_view.hpp>

namespace fovea::core {

/// Of each node of a graph whether it is a product of numbers rounded to bfloat16 where parameters learn in
/// bf16_products. Those are linear maps, products by a parameter of two axes, and products whose left side is a
/// transposition, as gradients of weights are.
///
/// In float32 stay products inside scans, and others by weights that one in a scan multiplies by or a batch_norm
/// scales; convolutions and expert_linear; and products whose depth is beyond half of most_rounded_depth.
std::vector<bool> rounded_products(const graph_view& g);

} // namespace fovea::core
