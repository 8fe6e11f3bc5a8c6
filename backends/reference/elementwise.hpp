#pragma once

#include <fovea/backends/exact.hpp>
#include <fovea/backends/reference/array.hpp>

namespace fovea::core::reference_ops {

/// f of each element.
array map(exact::unary_function f, const array& x);
/// f of each pair of elements; shapes broadcast: trailing axes align, a missing leading axis and a 1 stretch.
array map(exact::binary_function f, const array& a, const array& b);
/// `yes` where the condition is not 0, else `no`; the three broadcast.
array where(const array& condition, const array& yes, const array& no);

} // namespace fovea::core::reference_ops
