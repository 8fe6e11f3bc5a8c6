#pragma once

// GPT-2 small, 124 million parameters.

#include <generate/configuration.hpp>

#include <fovea/models/gpt2.hpp>

namespace generate_program {

inline constexpr fovea::models::gpt2_config sizes = fovea::models::gpt2_small;
inline constexpr const auto& declared = fovea::models::gpt2<sizes>;

inline configuration configured() {
  return {.name = "gpt2",
          .context = sizes.context,
          .vocabulary = sizes.vocab,
          .begin = 50256, // <|endoftext|>
          .end = {50256},
          .metadata = {{"gpt2.attention.head_count", sizes.heads},
                       {"gpt2.attention.layer_norm_epsilon", sizes.epsilon}}};
}

} // namespace generate_program
