#pragma once

#include <fovea/weights/stored_tensor.hpp>

#include <vector>

namespace fovea::core {

/// A tensor's values of any type, row-major. All are exact but whole numbers beyond 2^53; a boolean is 0 or 1, and
/// quantised values are those of to_floats.
std::vector<double> to_doubles(const stored_tensor& from);

} // namespace fovea::core
