#pragma once

// stories260K, a Llama that Andrej Karpathy trained on stories for children (llama2.c).

#include <fovea/models/llama.hpp>

namespace generate_stories260K {

inline constexpr fovea::models::llama_config sizes{
    .layers = 5, .heads = 8, .kv_heads = 4, .width = 64, .inner = 172, .vocab = 512, .tied = true};
inline constexpr const auto& declared = fovea::models::llama<sizes>;

} // namespace generate_stories260K
