#pragma once

// What `train_gpt --size small` trains.

#include <generate/configurations/trained_gpt.hpp>

namespace generate_program {

inline constexpr const auto& declared = fovea::models::gpt2<train_gpt::small>;

inline configuration configured() { return configuration_of("gpt_small", train_gpt::small); }

} // namespace generate_program
