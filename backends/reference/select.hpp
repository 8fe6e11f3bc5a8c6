#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// Where the first `count` elements of the last axis are, in order: the largest first, or the smallest. Of
/// equals that which comes first; NaN is larger than all numbers. x [..., n] -> [..., count]. Throws
/// fovea::error where there are fewer.
array order(const array& x, std::size_t count, bool ascending, source_place at);

/// The elements at `indices` along an axis. Throws fovea::error where an index is none of that axis.
array take_along(const array& x, const array& indices, std::size_t axis, source_place at);

/// The gradient of take_along: d added up at `indices`, in the given shape.
array put_along(const array& indices, const array& d, const array_shape& shape, std::size_t axis);

} // namespace fovea::core::reference_ops
