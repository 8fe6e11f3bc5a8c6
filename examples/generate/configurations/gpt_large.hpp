#pragma once

// What `train_gpt --size large` trains.

#include <generate/configurations/trained_gpt.hpp>

namespace generate_program {

inline constexpr const auto& declared = fovea::models::gpt2<train_gpt::large>;

inline configuration configured() { return configuration_of("gpt_large", train_gpt::large); }

} // namespace generate_program
