#pragma once

#include <fovea/weights/stored_tensor.hpp>
#include <fovea/weights/weight_format.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fovea::core {

/// As files name a format; int8, whose rows are as long as a model makes them, they do not.
std::optional<element_type> element_of(weight_format format);

/// The largest magnitude that a value may have for from_floats: beyond it a type has no number, or its scale
/// none.
float largest_value(element_type type);

/// Writes values as f16, bf16, q8_0 or q4_0, the inverse of to_floats: what the type can hold comes out
/// unchanged, whoever rounded it; other values are rounded to the nearest that their block's scale allows
/// (llama.cpp's scales: the value of largest magnitude is 127 of them, or -8). Blocks follow each other; the
/// last is filled up with zeros. No value may be above largest_value(type).
void from_floats(element_type type, std::span<const float> values, std::byte* to);

/// Writes a row as whole numbers of -127 to 127, of the scale that it returns: the largest magnitude / 127.
float to_int8(std::span<const float> row, std::int8_t* to);

/// Rounds rows of `width` values to what a format keeps of them.
void round_rows(weight_format format, std::size_t width, std::span<float> rows);

} // namespace fovea::core
