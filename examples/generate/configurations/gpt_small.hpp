#pragma once

// What `train_gpt --size small` trains; on Tiny Shakespeare, if no other weights are named.

#include <generate/configurations/trained_gpt.hpp>

namespace generate_program {

inline constexpr const auto& declared = fovea::models::gpt2<train_gpt::small>;

inline configuration configured() {
  return configuration_of("gpt_small", train_gpt::small, FOVEA_GENERATE_LEARNED "/gpt_small");
}

} // namespace generate_program
