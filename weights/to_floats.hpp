#pragma once

#include <fovea/weights/stored_tensor.hpp>

#include <cstddef>
#include <span>

namespace fovea::core {

/// Whether elements of this type stand for real numbers, so that parameters can be made of them: f64, f32,
/// f16, bf16 and the quantised types.
bool holds_reals(element_type type);

/// Writes the elements as float32, in their order. f32, f16 and bf16 are exact, f64 is rounded to nearest,
/// quantised values are the float32 numbers that llama.cpp makes of them. The bytes need not be aligned.
/// Throws fovea::error for a type that does not hold reals.
void to_floats(element_type type, std::span<const std::byte> elements, float* to);

} // namespace fovea::core
