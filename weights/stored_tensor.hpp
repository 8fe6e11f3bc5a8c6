#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fovea/weights/element_type.hpp>

namespace fovea::core {

/// Elements that are stored together: 1, or the length of a quantised block.
std::size_t block_length(element_type type);
/// Bytes of one block; of one element where the type has no blocks.
std::size_t block_bytes(element_type type);
/// "F32", "BF16", "BOOL", "Q8_0", ...
std::string_view element_name(element_type type);

/// Whether the last axis holds a whole number of blocks.
bool whole_blocks(element_type type, std::span<const std::size_t> shape);
/// The bytes that a tensor takes; nothing when they exceed std::size_t or blocks would be broken.
std::optional<std::size_t> tensor_bytes(element_type type, std::span<const std::size_t> shape);

/// "[3, 4]", as all messages about shapes print it.
std::string shape_text(std::span<const std::size_t> shape);

/// A tensor as a file holds it: row-major, without padding. `bytes` need not be aligned to the element.
struct stored_tensor {
  element_type type = element_type::f32;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;
};

/// The number of a tensor's values, whose bytes are there in full.
std::size_t count_of(const stored_tensor& tensor);

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::stored_tensor;
} // namespace fovea
