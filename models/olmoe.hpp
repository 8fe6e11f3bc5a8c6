#pragma once

// OLMoE: a mixture of experts whose queries and keys are normalised over all heads together, and whose experts
// have the weights that the softmax over all of them gives (Muennighoff et al. 2024, section 2). Loads Hugging Face
// checkpoints of OlmoeForCausalLM and llama.cpp's (GGUF) unchanged.

#include <fovea/models/moe.hpp>

namespace fovea::models {

/// OLMoE-1B-7B (Muennighoff et al. 2024, table 1): 6.9 billion parameters, of which a token uses 1.3.
inline constexpr moe_config olmoe_1b_7b{.decoder = {.layers = 16,
                                                    .heads = 16,
                                                    .kv_heads = 16,
                                                    .width = 2048,
                                                    .inner = 1024,
                                                    .vocab = 50304,
                                                    .whole_norm = true},
                                        .experts = 64,
                                        .active = 8,
                                        .normalised = false};

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <moe_config c>
inline constexpr auto olmoe = model(
    "olmoe",
    [](graph& g) {
      g.output("logits", moe_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    moe_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <moe_config c>
inline constexpr auto olmoe_loss = model(
    "olmoe_loss",
    [](graph& g) {
      const expr logits = moe_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    moe_names<c>);

} // namespace fovea::models
