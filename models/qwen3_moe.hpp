#pragma once

// Qwen3's mixtures of experts: Qwen3's attention, with queries and keys that are normalised head by head, before
// experts whose weights sum to 1 (Yang et al. 2025, section 2). Loads Hugging Face checkpoints of
// Qwen3MoeForCausalLM and llama.cpp's (GGUF) unchanged, where every layer has experts.

#include <fovea/models/moe.hpp>

namespace fovea::models {

/// Qwen3-30B-A3B (Yang et al. 2025, table 2): 30.5 billion parameters, of which a token uses 3.3.
inline constexpr moe_config qwen3_30b_a3b{.decoder = {.layers = 48,
                                                      .heads = 32,
                                                      .kv_heads = 4,
                                                      .width = 2048,
                                                      .inner = 768,
                                                      .vocab = 151936,
                                                      .base = 1000000,
                                                      .epsilon = 1e-6,
                                                      .head_width = 128,
                                                      .head_norm = true},
                                          .experts = 128,
                                          .active = 8,
                                          .normalised = true};

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <moe_config c>
inline constexpr auto qwen3_moe = model(
    "qwen3_moe",
    [](graph& g) {
      g.output("logits", moe_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    moe_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <moe_config c>
inline constexpr auto qwen3_moe_loss = model(
    "qwen3_moe_loss",
    [](graph& g) {
      const expr logits = moe_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    moe_names<c>);

} // namespace fovea::models
