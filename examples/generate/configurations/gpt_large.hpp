#pragma once

// What `train_gpt --size large` trains.

#include "../../train_gpt/sizes.hpp"

namespace generate_gpt_large {

inline constexpr const auto& declared = fovea::models::gpt2<train_gpt::large>;

} // namespace generate_gpt_large
