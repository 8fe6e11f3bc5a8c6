#pragma once

#include <fovea/backends/reference/array.hpp>
#include <fovea/dsl/op.hpp>

namespace fovea::core::reference_ops {

using unary_function = double (*)(double);
using binary_function = double (*)(double, double);

/// The function of an elementwise op of one operand (is_unary). Outside training, stop_gradient and dropout
/// are x itself.
unary_function unary(op kind);

/// The function of an elementwise op of two operands, whose result has the given type: int32 divides with
/// floor. Comparisons and logical ops give 1 for true and 0 for false.
binary_function binary(op kind, element type);

/// f of each element.
array map(unary_function f, const array& x);
/// f of each pair of elements; shapes broadcast: trailing axes align, a missing leading axis and a 1 stretch.
array map(binary_function f, const array& a, const array& b);
/// `yes` where the condition is not 0, else `no`; the three broadcast.
array where(const array& condition, const array& yes, const array& no);

} // namespace fovea::core::reference_ops
