#pragma once

#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core::detail {

/// A tensor whose axis `axis` has the rows of all ranks, rank 0 the first: of each rank's own, which are as
/// many. All ranks call it. Without an axis, -1, and of one rank alone it is its own.
weight_tensor rows_of_all(const weight_tensor& own, int axis, const rank_group& group);

/// Whether the rows of all ranks are as many for each.
bool divides(const weight_tensor& all, int axis, const rank_group& group);
/// Of the rows of all ranks those of this one.
weight_tensor rows_of_rank(const weight_tensor& all, int axis, const rank_group& group);

} // namespace fovea::core::detail
