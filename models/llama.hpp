#pragma once

// Llama: a language model of pre-norm decoder blocks with rotary positions, RMS norm and a gated feed-forward
// layer (Touvron et al. 2023), with fewer key heads than query heads from Llama 2 on (Ainslie et al. 2023), and
// with slower positions from Llama 3.1 on (Grattafiori et al. 2024). SmolLM2 (Ben Allal et al. 2025) is one;
// Mistral (Jiang et al. 2023) is one with a window. Loads Hugging Face checkpoints of LlamaForCausalLM and
// MistralForCausalLM, Meta's, llama2.c's and llama.cpp's (GGUF) unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct llama_config {
  int layers, heads, kv_heads, width, inner, vocab;
  double base = 10000; // of the rotary positions
  double epsilon = 1e-5;
  bool tied = false;  // the table of token vectors also scores the tokens at the end
  int head_width = 0; // 0: width / heads
  rope_scaling scaling = {};
  int window = 0;          // how many tokens a token sees, itself among them; 0: all before it
  bool qkv_bias = false;   // of queries, keys and values
  bool head_norm = false;  // queries and keys are normalised head by head
  bool whole_norm = false; // the same over all heads together

  constexpr int features_of_head() const { return head_width == 0 ? width / heads : head_width; }
};

/// TinyLlama 1.1B (Zhang et al. 2024).
inline constexpr llama_config tiny_llama{
    .layers = 22, .heads = 32, .kv_heads = 4, .width = 2048, .inner = 5632, .vocab = 32000};

/// Llama 3.2 1B (Meta 2024).
inline constexpr llama_config llama_3_2_1b{.layers = 16,
                                           .heads = 32,
                                           .kv_heads = 8,
                                           .width = 2048,
                                           .inner = 8192,
                                           .vocab = 128256,
                                           .base = 500000,
                                           .tied = true,
                                           .scaling = rope_scaling::llama3({.factor = 32})};

/// SmolLM2 135M (Ben Allal et al. 2025).
inline constexpr llama_config smollm2_135m{.layers = 30,
                                           .heads = 9,
                                           .kv_heads = 3,
                                           .width = 576,
                                           .inner = 1536,
                                           .vocab = 49152,
                                           .base = 100000,
                                           .tied = true};

/// Mistral 7B v0.1 (Jiang et al. 2023).
inline constexpr llama_config mistral_7b{
    .layers = 32, .heads = 32, .kv_heads = 8, .width = 4096, .inner = 14336, .vocab = 32000, .window = 4096};

/// Each head of x [B, T, heads * features] normalised by itself, with one weight [features] for all.
constexpr expr norm_of_heads(expr x, const char* name, int heads, double epsilon) {
  const dim features = x.size(-1) / heads;
  const expr each = reshape(x, {x.size(0), x.size(1), heads, features});
  return reshape(rms_norm(each, name, {.epsilon = epsilon}), {x.size(0), x.size(1), heads * features});
}

/// Causal attention with rotary positions, without the norm before it: x [B, T, width] keeps its shape.
constexpr expr llama_attention(expr x, llama_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int kv_width = c.features_of_head() * c.kv_heads;
  expr q = linear(x, "attn.q", c.features_of_head() * c.heads, {.bias = c.qkv_bias}),
       k = linear(x, "attn.k", kv_width, {.bias = c.qkv_bias});
  const expr v = linear(x, "attn.v", kv_width, {.bias = c.qkv_bias});
  if (c.head_norm) {
    q = norm_of_heads(q, "attn.q_norm", c.heads, c.epsilon);
    k = norm_of_heads(k, "attn.k_norm", c.kv_heads, c.epsilon);
  }
  if (c.whole_norm) {
    q = rms_norm(q, "attn.q_norm", {.epsilon = c.epsilon});
    k = rms_norm(k, "attn.k_norm", {.epsilon = c.epsilon});
  }
  q = rope(q, {.heads = c.heads, .base = c.base, .scaling = c.scaling});
  k = rope(k, {.heads = c.kv_heads, .base = c.base, .scaling = c.scaling});
  const expr a = attention(
      q, k, v, {.heads = c.heads, .kv_heads = c.kv_heads, .mask = c.window > 0 ? window(c.window) : causal});
  return linear(a, "attn.proj", c.width, {.bias = false});
}

/// down(silu(gate(x)) * up(x)), SwiGLU (Shazeer 2020): x [B, T, width] keeps its shape.
constexpr expr llama_feed_forward(expr x, llama_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr gate = linear(x, "mlp.gate", c.inner, {.bias = false}),
             up = linear(x, "mlp.up", c.inner, {.bias = false});
  return linear(silu(gate) * up, "mlp.down", c.width, {.bias = false});
}

/// One block: attention, then the feed-forward layer, each normalised before and added to its input.
constexpr expr llama_block(expr x, llama_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = x + llama_attention(rms_norm(x, "attn_norm", {.epsilon = c.epsilon}), c);
  return x + llama_feed_forward(rms_norm(x, "mlp_norm", {.epsilon = c.epsilon}), c);
}

/// The table of token vectors, [vocab, width].
constexpr expr llama_words(expr tokens, llama_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// The blocks and the last norm: tokens [B, T] of int32 -> [B, T, width].
constexpr expr llama_decoder(expr words, expr tokens, llama_config c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x = repeat("layers", c.layers, gather(words, tokens), [c](expr y) { return llama_block(y, c); });
  return rms_norm(x, "norm", {.epsilon = c.epsilon});
}

/// Scores of the next token from the decoder's x [B, T, width]: [B, T, vocab].
constexpr expr llama_scores(expr x, expr words, llama_config c) {
  return c.tied ? matmul(x, transpose(words)) : linear(x, "lm_head", c.vocab, {.bias = false});
}

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr llama_logits(expr tokens, llama_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = llama_words(tokens, c);
  return llama_scores(llama_decoder(words, tokens, c), words, c);
}

/// How Hugging Face names the parameters of a decoder like Llama.
template <llama_config c>
inline constexpr auto llama_names_of_transformers = std::to_array<name_rule>({
    {"", "model.", naming::optional_prefix},
    {"words", "embed_tokens.weight"},
    {c.tied ? "words" : "lm_head.weight", "lm_head.weight", c.tied ? naming::tied : naming::transform{}},
    {"layers.*.attn_norm.weight", "layers.*.input_layernorm.weight"},
    {"layers.*.attn.q.weight", "layers.*.self_attn.q_proj.weight"},
    {"layers.*.attn.k.weight", "layers.*.self_attn.k_proj.weight"},
    {"layers.*.attn.v.weight", "layers.*.self_attn.v_proj.weight"},
    {"layers.*.attn.q.bias", "layers.*.self_attn.q_proj.bias"},
    {"layers.*.attn.k.bias", "layers.*.self_attn.k_proj.bias"},
    {"layers.*.attn.v.bias", "layers.*.self_attn.v_proj.bias"},
    {"layers.*.attn.q_norm.weight", "layers.*.self_attn.q_norm.weight"},
    {"layers.*.attn.k_norm.weight", "layers.*.self_attn.k_norm.weight"},
    {"layers.*.attn.proj.weight", "layers.*.self_attn.o_proj.weight"},
    {"layers.*.mlp_norm.weight", "layers.*.post_attention_layernorm.weight"},
    {"layers.*.mlp.gate.weight", "layers.*.mlp.gate_proj.weight"},
    {"layers.*.mlp.up.weight", "layers.*.mlp.up_proj.weight"},
    {"layers.*.mlp.down.weight", "layers.*.mlp.down_proj.weight"},
    {"norm.weight", "norm.weight"},
    {"", "layers.*.self_attn.rotary_emb.inv_freq", naming::ignored},
});

/// How llama.cpp (GGUF) does. `turned`: how it keeps queries and keys.
template <llama_config c, naming::transform turned = naming::transform{}>
inline constexpr auto llama_names_of_gguf = std::to_array<name_rule>({
    {"words", "token_embd.weight"},
    {c.tied ? "words" : "lm_head.weight", "output.weight", c.tied ? naming::tied : naming::transform{}},
    {"layers.*.attn_norm.weight", "blk.*.attn_norm.weight"},
    {"layers.*.attn.q.weight", "blk.*.attn_q.weight", turned},
    {"layers.*.attn.k.weight", "blk.*.attn_k.weight", turned},
    {"layers.*.attn.v.weight", "blk.*.attn_v.weight"},
    {"layers.*.attn.q.bias", "blk.*.attn_q.bias", turned},
    {"layers.*.attn.k.bias", "blk.*.attn_k.bias", turned},
    {"layers.*.attn.v.bias", "blk.*.attn_v.bias"},
    {"layers.*.attn.q_norm.weight", "blk.*.attn_q_norm.weight"},
    {"layers.*.attn.k_norm.weight", "blk.*.attn_k_norm.weight"},
    {"layers.*.attn.proj.weight", "blk.*.attn_output.weight"},
    {"layers.*.mlp_norm.weight", "blk.*.ffn_norm.weight"},
    {"layers.*.mlp.gate.weight", "blk.*.ffn_gate.weight"},
    {"layers.*.mlp.up.weight", "blk.*.ffn_up.weight"},
    {"layers.*.mlp.down.weight", "blk.*.ffn_down.weight"},
    {"norm.weight", "output_norm.weight"},
    // What the scaling says; a model without one refuses it.
    {"", c.scaling == rope_scaling{} ? "rope.freqs" : "rope_freqs.weight", naming::ignored},
});

/// How Hugging Face, llama.cpp (GGUF), and Meta and llama2.c name Llama's parameters. Hugging Face pairs the
/// halves of a head for rotary positions, as `rope` does by default; the others pair neighbours.
template <llama_config c>
inline constexpr auto llama_names = naming::together(
    llama_names_of_transformers<c>, llama_names_of_gguf<c, naming::rotary_halves(c.features_of_head())>,
    std::to_array<name_rule>({
        {"words", "tok_embeddings.weight"}, // the last norm and the output are named as above
        {"layers.*.attn_norm.weight", "layers.*.attention_norm.weight"},
        {"layers.*.attn.q.weight", "layers.*.attention.wq.weight",
         naming::rotary_halves(c.features_of_head())},
        {"layers.*.attn.k.weight", "layers.*.attention.wk.weight",
         naming::rotary_halves(c.features_of_head())},
        {"layers.*.attn.v.weight", "layers.*.attention.wv.weight"},
        {"layers.*.attn.proj.weight", "layers.*.attention.wo.weight"},
        {"layers.*.mlp_norm.weight", "layers.*.ffn_norm.weight"},
        {"layers.*.mlp.gate.weight", "layers.*.feed_forward.w1.weight"},
        {"layers.*.mlp.up.weight", "layers.*.feed_forward.w3.weight"},
        {"layers.*.mlp.down.weight", "layers.*.feed_forward.w2.weight"},
        {"", "rope.freqs", naming::ignored},
    }));

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <llama_config c>
inline constexpr auto llama = model(
    "llama",
    [](graph& g) {
      g.output("logits", llama_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    llama_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <llama_config c>
inline constexpr auto llama_loss = model(
    "llama_loss",
    [](graph& g) {
      const expr logits = llama_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    llama_names<c>);

} // namespace fovea::models
