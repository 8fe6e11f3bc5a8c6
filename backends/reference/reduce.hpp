#pragma once

#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

// Each reduces one axis and keeps it with size 1.

array sum(const array& x, std::size_t axis);
array mean(const array& x, std::size_t axis);
/// -infinity over no elements.
array max_over(const array& x, std::size_t axis);
/// Infinity over no elements.
array min_over(const array& x, std::size_t axis);
/// The position of the largest element, the first of equals.
array argmax(const array& x, std::size_t axis);

} // namespace fovea::core::reference_ops
