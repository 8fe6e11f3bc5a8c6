#pragma once

#include "array_groups.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace play_amp_program {

/// A tensor of a model of wavenet.hpp.
struct named_tensor {
  std::string name;
  std::vector<std::size_t> sizes;
  std::size_t groups = 1; // of its first two axes

  /// How many numbers a file has of it.
  std::size_t count() const;
};

/// What a file has the numbers of, one after another, for layers that see a condition of so many features.
/// `groups` are those of each array; without them there are none. PReLU's slopes lie elsewhere.
std::vector<named_tensor> tensors_of(const wavenet_shape& shape, int condition,
                                     std::span<const array_groups> groups = {});

/// How many numbers these are.
std::size_t numbers_of(const wavenet_shape& shape, int condition, std::span<const array_groups> groups = {});

/// PReLU's slopes, one after another.
std::vector<named_tensor> slopes_of(const wavenet_shape& shape);

} // namespace play_amp_program
