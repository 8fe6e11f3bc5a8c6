#pragma once

// Phi-3: Llama's blocks, whose checkpoints keep queries, keys and values as one matrix, and gate and up as another
// (Abdin et al. 2024, section 2). Reaches long texts by LongRoPE. Loads Hugging Face checkpoints of
// Phi3ForCausalLM and llama.cpp's (GGUF) unchanged.

#include <fovea/models/llama.hpp>

namespace fovea::models {

/// Phi-3 mini, 4K.
inline constexpr llama_config phi3_mini_4k{
    .layers = 32, .heads = 32, .kv_heads = 32, .width = 3072, .inner = 8192, .vocab = 32064, .window = 2047};

/// How Hugging Face and llama.cpp (GGUF) name the parameters.
template <llama_config c>
inline constexpr auto phi3_names = [] {
  const int q = c.features_of_head() * c.heads, kv = c.features_of_head() * c.kv_heads;
  return naming::together(
      std::to_array<name_rule>({
          {"layers.*.attn.q.weight", "layers.*.self_attn.qkv_proj.weight", naming::rows(0, q)},
          {"layers.*.attn.k.weight", "layers.*.self_attn.qkv_proj.weight", naming::rows(q, q + kv)},
          {"layers.*.attn.v.weight", "layers.*.self_attn.qkv_proj.weight", naming::rows(q + kv, q + 2 * kv)},
          {"layers.*.mlp.gate.weight", "layers.*.mlp.gate_up_proj.weight", naming::rows(0, c.inner)},
          {"layers.*.mlp.up.weight", "layers.*.mlp.gate_up_proj.weight", naming::rows(c.inner, 2 * c.inner)},

          {"layers.*.attn.q.weight", "blk.*.attn_qkv.weight", naming::rows(0, q)},
          {"layers.*.attn.k.weight", "blk.*.attn_qkv.weight", naming::rows(q, q + kv)},
          {"layers.*.attn.v.weight", "blk.*.attn_qkv.weight", naming::rows(q + kv, q + 2 * kv)},
          {"layers.*.mlp.gate.weight", "blk.*.ffn_up.weight", naming::rows(0, c.inner)},
          {"layers.*.mlp.up.weight", "blk.*.ffn_up.weight", naming::rows(c.inner, 2 * c.inner)},
          // What the scaling says; a model without one refuses it.
          {"", c.scaling == rope_scaling{} ? "rope.freqs" : "rope_factors_long.weight", naming::ignored},
          {"", c.scaling == rope_scaling{} ? "rope.freqs" : "rope_factors_short.weight", naming::ignored},
      }),
      llama_names_of_transformers<c>, llama_names_of_gguf<c>);
}();

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <llama_config c>
inline constexpr auto phi3 = model(
    "phi3",
    [](graph& g) {
      g.output("logits", llama_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    phi3_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <llama_config c>
inline constexpr auto phi3_loss = model(
    "phi3_loss",
    [](graph& g) {
      const expr logits = llama_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    phi3_names<c>);

} // namespace fovea::models
