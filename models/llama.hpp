#pragma once

// Llama: pre-norm blocks with RMS norm, rotary positions, grouped queries and a gated feed-forward layer
// (Touvron et al. 2023; Ainslie et al. 2023; Shazeer 2020). Loads Hugging Face checkpoints of
// LlamaForCausalLM unchanged.

#include <fovea/dsl.hpp>

namespace fovea::models {

struct llama_config {
  int layers, heads, kv_heads, width, inner, vocab;
  bool tied = false; // the output projection is the token table
  double base = 10000, epsilon = 1e-6;
  rope_pairing pairing = halves; // as Hugging Face orders the rows; the original checkpoints turn neighbours
};

/// One block: x + attention(norm(x)), then x + down(silu(gate) * up) of the norm. x [B, T, width] keeps its
/// shape.
constexpr expr llama_block(expr x, llama_config c, place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int head = c.width / c.heads;
  expr h = rms_norm(x, "attn.norm", {.epsilon = c.epsilon});
  const expr q = linear(h, "attn.q", c.width, {.bias = false}),
             k = linear(h, "attn.k", c.kv_heads * head, {.bias = false}),
             v = linear(h, "attn.v", c.kv_heads * head, {.bias = false});
  const expr a = attention(rope(q, {.heads = c.heads, .base = c.base, .pairing = c.pairing}),
                           rope(k, {.heads = c.kv_heads, .base = c.base, .pairing = c.pairing}), v,
                           {.heads = c.heads, .kv_heads = c.kv_heads, .mask = causal});
  x = x + linear(a, "attn.proj", c.width, {.bias = false});
  h = rms_norm(x, "mlp.norm", {.epsilon = c.epsilon});
  const expr up = linear(h, "mlp.up", c.inner, {.bias = false});
  const expr gated = silu(linear(h, "mlp.gate", c.inner, {.bias = false})) * up;
  return x + linear(gated, "mlp.down", c.width, {.bias = false});
}

/// Scores of every token of the vocabulary as the next one, at each position: tokens [B, T] -> [B, T, vocab].
constexpr expr llama_logits(expr tokens, llama_config c, place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
  expr x = repeat("layer", c.layers, gather(words, tokens), [c](expr y) { return llama_block(y, c); });
  x = rms_norm(x, "norm", {.epsilon = c.epsilon});
  return c.tied ? matmul(x, transpose(words)) : linear(x, "head", c.vocab, {.bias = false});
}

/// How Hugging Face names them.
template <llama_config c>
inline constexpr name_rule llama_names[] = {
    {"", "model.", optional_prefix},
    {"words", "embed_tokens.weight"},
    c.tied ? name_rule{"words", "lm_head.weight", tied} : name_rule{"head.weight", "lm_head.weight"},
    {"norm.weight", "norm.weight"},
    {"layer.*.attn.norm.weight", "layers.*.input_layernorm.weight"},
    {"layer.*.attn.q.weight", "layers.*.self_attn.q_proj.weight"},
    {"layer.*.attn.k.weight", "layers.*.self_attn.k_proj.weight"},
    {"layer.*.attn.v.weight", "layers.*.self_attn.v_proj.weight"},
    {"layer.*.attn.proj.weight", "layers.*.self_attn.o_proj.weight"},
    {"layer.*.mlp.norm.weight", "layers.*.post_attention_layernorm.weight"},
    {"layer.*.mlp.gate.weight", "layers.*.mlp.gate_proj.weight"},
    {"layer.*.mlp.up.weight", "layers.*.mlp.up_proj.weight"},
    {"layer.*.mlp.down.weight", "layers.*.mlp.down_proj.weight"},
    {"", "layers.*.self_attn.rotary_emb.inv_freq", ignored},
};

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <llama_config c>
inline constexpr auto llama = model(
    "llama",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {dim{"B"}, dim{"T"}});
      g.output("logits", llama_logits(tokens, c));
    },
    llama_names<c>);

} // namespace fovea::models
