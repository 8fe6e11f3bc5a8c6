#pragma once

#include <fovea/weights/stored_tensor.hpp>
#include <fovea/weights/weight_format.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fovea::core {

/// As files name a format; nothing where they hold none such.
constexpr std::optional<element_type> element_of(weight_format format) {
  return traits(format).in_files() ? std::optional(traits(format).stored) : std::nullopt;
}

/// Whether from_floats writes values as this type: that of a format other than f32.
bool is_written(element_type type);

/// The largest magnitude that a value may have for from_floats: beyond it a type has no number, or its scale
/// none.
float largest_value(element_type type);

/// Writes values as the type of a format, the inverse of to_floats: what the type can hold comes out
/// unchanged, whoever rounded it, but for K blocks; other values are rounded to the nearest that their block's
/// scales allow (llama.cpp's scales: blocks_of_32.hpp, round_k_blocks.cpp). Blocks follow each other; the last is filled up with zeros. No
/// value may be above largest_value(type). Throws fovea::error for a type that is not written.
void from_floats(element_type type, std::span<const float> values, std::byte* to);

/// The same of types other than K blocks: a program that has none of these links nothing that rounds to them.
void from_floats_but_k(element_type type, std::span<const float> values, std::byte* to);

/// The scale of a row kept as whole numbers of -127 to 127: the largest magnitude / 127.
float int8_scale(std::span<const float> row);

/// A value of such a row, rounded to the nearest, halves to even.
inline std::int8_t to_int8(float value, float scale) {
  constexpr float most = 127, whole = 0x1.8p23f; // a float of this size has no fraction
  return static_cast<std::int8_t>(scale == 0 ? 0 : std::clamp(value / scale, -most, most) + whole - whole);
}

/// Rounds rows of `width` values to what a format keeps of them.
void round_rows(weight_format format, std::size_t width, std::span<float> rows);

} // namespace fovea::core
