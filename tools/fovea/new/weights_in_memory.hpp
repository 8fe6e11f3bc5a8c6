#pragma once

#include "checkpoint.hpp"

#include <cstddef>

namespace tool {

/// How a program keeps the weights of a checkpoint: in the format that most bytes of its matrices have, where a
/// program can keep that one, else as float32. What the file holds in it stays as it is.
struct weights_in_memory {
  explicit weights_in_memory(const checkpoint& from);

  fovea::core::weight_format format;
  std::size_t bytes = 0; // of all tensors, kept so
};

} // namespace tool
