#pragma once

// What `train_gpt --size small` trains.

#include "../../train_gpt/sizes.hpp"

namespace generate_gpt_small {

inline constexpr const auto& declared = fovea::models::gpt2<train_gpt::small>;

} // namespace generate_gpt_small
