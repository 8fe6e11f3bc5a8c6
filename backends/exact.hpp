#pragma once

#include <fovea/dsl/op.hpp>

/// The elementwise functions of numbers: what each backend's are held against.
namespace fovea::core::exact {

using unary_function = double (*)(double);
using binary_function = double (*)(double, double);

/// The function of an elementwise op of one operand (is_unary). Outside training, stop_gradient and dropout
/// are x itself.
unary_function unary(op kind);

/// The function of an elementwise op of two operands, whose result has the given type: int32 divides with
/// floor, and by 0 gives 0. Comparisons and logical ops give 1 for true and 0 for false.
binary_function binary(op kind, element type);

} // namespace fovea::core::exact
