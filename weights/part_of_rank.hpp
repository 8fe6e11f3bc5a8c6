#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <fovea/weights/weights.hpp>

namespace fovea::core {

/// Puts in the place of a parameter's values, of this shape, the part along an axis that one of so many ranks has. Rows are a
/// stretch of them; columns are copied into what is kept.
void part_of_rank(weight_view& all, std::span<const std::size_t> shape, int axis, int rank, int ranks,
                  std::vector<std::vector<float>>& kept);

} // namespace fovea::core
