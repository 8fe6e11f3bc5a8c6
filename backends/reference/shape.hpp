#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// Axis i of the result is axis order[i] of x.
array permute(const array& x, const array_shape& order);

/// x repeated to a larger shape: axes of size 1 and missing leading axes stretch.
array broadcast(const array& x, const array_shape& shape);

/// The elements first <= i < first + length of an axis.
array slice(const array& x, std::size_t axis, std::size_t first, std::size_t length);

/// Writes x, which has all axes of y but one, at a position of that axis.
void put_step(const array& x, array& y, std::size_t axis, std::size_t position);

/// Joined along an axis, in order; the other axes agree.
array concat(const std::vector<const array*>& parts, std::size_t axis);

/// `before` and `after` copies of `value` around an axis.
array pad(const array& x, std::size_t axis, std::size_t before, std::size_t after, double value);

/// An axis in reverse order.
array reverse(const array& x, std::size_t axis);

} // namespace fovea::core::reference_ops
