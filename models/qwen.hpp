#pragma once

// Qwen2 and Qwen3: Llama's blocks, with biases of queries, keys and values in Qwen2 (Yang et al. 2024), with queries
// and keys that are normalised head by head in Qwen3 (Yang et al. 2025). Load Hugging Face checkpoints of
// Qwen2ForCausalLM and Qwen3ForCausalLM and llama.cpp's (GGUF) unchanged.

#include <fovea/models/llama.hpp>

namespace fovea::models {

/// Qwen2.5 0.5B (Qwen Team 2024).
inline constexpr llama_config qwen2_5_0_5b{.layers = 24,
                                           .heads = 14,
                                           .kv_heads = 2,
                                           .width = 896,
                                           .inner = 4864,
                                           .vocab = 151936,
                                           .base = 1000000,
                                           .epsilon = 1e-6,
                                           .tied = true,
                                           .qkv_bias = true};

/// Qwen3 0.6B (Yang et al. 2025, table 1).
inline constexpr llama_config qwen3_0_6b{.layers = 28,
                                         .heads = 16,
                                         .kv_heads = 8,
                                         .width = 1024,
                                         .inner = 3072,
                                         .vocab = 151936,
                                         .base = 1000000,
                                         .epsilon = 1e-6,
                                         .tied = true,
                                         .head_width = 128,
                                         .head_norm = true};

/// How Hugging Face and llama.cpp (GGUF) name the parameters; both pair halves for rotary positions.
template <llama_config c>
inline constexpr auto qwen_names = naming::together(llama_names_of_transformers<c>, llama_names_of_gguf<c>);

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <llama_config c>
inline constexpr auto qwen = model(
    "qwen",
    [](graph& g) {
      g.output("logits", llama_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    qwen_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <llama_config c>
inline constexpr auto qwen_loss = model(
    "qwen_loss",
    [](graph& g) {
      const expr logits = llama_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    qwen_names<c>);

} // namespace fovea::models
