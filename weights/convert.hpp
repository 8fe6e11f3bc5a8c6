#pragma once

#include <fovea/dsl/names.hpp>
#include <fovea/weights/packed.hpp>
#include <fovea/weights/stored_tensor.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fovea::core {

/// The shape that `how` makes of `shape`. Throws fovea::error that says which step doesn't fit, without
/// naming the tensor.
std::vector<std::size_t> transformed_shape(const naming::transform& how, std::vector<std::size_t> shape);

/// Floats, either inside the tensor's own bytes (`owned` is empty) or in a buffer of their own.
struct float_values {
  std::span<const float> values;
  std::shared_ptr<const packed> owned;
};

/// The tensor's values as float32 after the steps of `how`. Points into the tensor where nothing has to
/// change. The tensor's type must hold reals (to_floats.hpp) and `how` must fit its shape.
float_values transformed_values(const stored_tensor& tensor, const naming::transform& how);

/// The same of several tensors that `how` joins, or of a direction and its gain.
float_values transformed_values(std::span<const stored_tensor* const> tensors, const naming::transform& how);

/// Rows of a tensor, either inside its own bytes (`owned` is empty) or in a buffer of their own.
struct stored_rows {
  stored_tensor tensor;
  std::shared_ptr<const packed> owned = {};
};

/// What `how` takes of the tensor where that is all of it, or rows, in whatever order: its bytes are those of
/// the parameter then.
std::optional<stored_rows> whole_rows(const stored_tensor& tensor, const naming::transform& how);

/// The position of the first NaN or infinity.
std::optional<std::size_t> first_non_finite(std::span<const float> values);

} // namespace fovea::core
