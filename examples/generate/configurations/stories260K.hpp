#pragma once

// stories260K, a Llama that Andrej Karpathy trained on stories for children (llama2.c).

#include <generate/configuration.hpp>

#include <fovea/models/llama.hpp>

namespace generate_program {

inline constexpr fovea::models::llama_config sizes{
    .layers = 5, .heads = 8, .kv_heads = 4, .width = 64, .inner = 172, .vocab = 512, .tied = true};
inline constexpr const auto& declared = fovea::models::llama<sizes>;

inline configuration configured() {
  return {.name = "stories260K",
          .context = 512,
          .vocabulary = sizes.vocab,
          .begin = 1,
          .end = {1, 2},
          .metadata = {{"n_heads", sizes.heads}, // llama2.c's, then GGUF's
                       {"llama.attention.head_count", sizes.heads},
                       {"llama.attention.layer_norm_rms_epsilon", sizes.epsilon},
                       {"llama.rope.freq_base", sizes.base}}};
}

} // namespace generate_program
