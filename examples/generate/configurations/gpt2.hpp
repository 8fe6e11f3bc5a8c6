#pragma once

// GPT-2 small, 124 million parameters.

#include <fovea/models/gpt2.hpp>

namespace generate_gpt2 {

inline constexpr const auto& declared = fovea::models::gpt2<fovea::models::gpt2_small>;

} // namespace generate_gpt2
