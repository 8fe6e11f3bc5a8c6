#pragma once

#include <fovea/weights/stored_tensor.hpp>

#include <cstddef>
#include <vector>

namespace fovea::core {

/// Throws fovea::error, which does not name the tensor, where a value is NaN or infinite. The tensor's type
/// must hold reals (to_floats.hpp).
void check_finite(const stored_tensor& tensor);

/// A tensor's bytes in another type: float32, exact but for F64, or what from_floats makes of it; unchanged
/// where it is of that type. Throws fovea::error, which does not name the tensor, where either type holds no
/// reals or is F64 to write, the last axis has no whole number of blocks, or a value is NaN, infinite or
/// beyond what the type can hold.
std::vector<std::byte> converted(const stored_tensor& tensor, element_type type);

/// How far a conversion took the values: the root of the sum of squares of the differences, over that of the
/// values before; 0 where these are all zero. Both have the same shape and hold reals.
double relative_error(const stored_tensor& before, const stored_tensor& after);

} // namespace fovea::core
