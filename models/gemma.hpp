#pragma once

// Gemma 2 and Gemma 3: language models of decoder blocks with a norm before and after each part, in which most
// layers see a window alone (Gemma Team 2024, section 2; Gemma Team 2025, section 2). Gemma 2 caps its scores;
// Gemma 3 normalises queries and keys head by head, and has positions of its own in its windows. Loads Hugging
// Face checkpoints of Gemma2ForCausalLM and Gemma3ForCausalLM and llama.cpp's (GGUF) unchanged.

#include <fovea/models/llama.hpp>

namespace fovea::models {

struct gemma_config {
  int layers, heads, kv_heads, width, inner, vocab, head_width;
  int window;                          // how many tokens a token sees, itself among them
  int period;                          // every such layer sees all tokens before
  double query_scalar;                 // scores are divided by its root
  double base = 10000;                 // of the rotary positions of layers that see all
  double local_base = 10000;           // of the others
  double score_cap = 0, logit_cap = 0; // 0: none
  bool head_norm = false;
  double epsilon = 1e-6;
  rope_scaling scaling = {}; // of layers that see all
};

/// Gemma 2 2B (Gemma Team 2024, table 1).
inline constexpr gemma_config gemma2_2b{.layers = 26,
                                        .heads = 8,
                                        .kv_heads = 4,
                                        .width = 2304,
                                        .inner = 9216,
                                        .vocab = 256000,
                                        .head_width = 256,
                                        .window = 4096,
                                        .period = 2,
                                        .query_scalar = 256,
                                        .score_cap = 50,
                                        .logit_cap = 30};

/// Gemma 3 1B (Gemma Team 2025, table 1).
inline constexpr gemma_config gemma3_1b{.layers = 26,
                                        .heads = 4,
                                        .kv_heads = 1,
                                        .width = 1152,
                                        .inner = 6912,
                                        .vocab = 262144,
                                        .head_width = 256,
                                        .window = 512,
                                        .period = 6,
                                        .query_scalar = 256,
                                        .base = 1000000,
                                        .head_norm = true};

/// Causal attention, without the norms around it: x [B, T, width] keeps its shape. `local`: in a window.
constexpr expr gemma_attention(expr x, gemma_config c, bool local,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  expr q = linear(x, "attn.q", c.heads * c.head_width, {.bias = false}),
       k = linear(x, "attn.k", c.kv_heads * c.head_width, {.bias = false});
  const expr v = linear(x, "attn.v", c.kv_heads * c.head_width, {.bias = false});
  if (c.head_norm) {
    q = norm_of_heads(q, "attn.q_norm", c.heads, c.epsilon);
    k = norm_of_heads(k, "attn.k_norm", c.kv_heads, c.epsilon);
  }
  const double base = local ? c.local_base : c.base;
  const rope_scaling scaling = local ? rope_scaling{} : c.scaling;
  q = rope(q, {.heads = c.heads, .base = base, .scaling = scaling});
  k = rope(k, {.heads = c.kv_heads, .base = base, .scaling = scaling});
  const expr a = attention(q / sqrt(constant(q, c.query_scalar)), k, v,
                           {.heads = c.heads,
                            .kv_heads = c.kv_heads,
                            .mask = local ? window(c.window) : causal,
                            .scale = 1,
                            .soft_cap = c.score_cap});
  return linear(a, "attn.proj", c.width, {.bias = false});
}

/// down(gelu_tanh(gate(x)) * up(x)), GeGLU (Shazeer 2020): x [B, T, width] keeps its shape.
constexpr expr gemma_feed_forward(expr x, gemma_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr gate = linear(x, "mlp.gate", c.inner, {.bias = false}),
             up = linear(x, "mlp.up", c.inner, {.bias = false});
  return linear(gelu_tanh(gate) * up, "mlp.down", c.width, {.bias = false});
}

/// One block: attention, then the feed-forward layer, each normalised before and after, and added to its input.
constexpr expr gemma_block(expr x, gemma_config c, bool local,
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto norm = [&](expr y, const char* name) { return rms_norm(y, name, {.epsilon = c.epsilon}); };
  x = x + norm(gemma_attention(norm(x, "attn_norm"), c, local), "attn_post_norm");
  return x + norm(gemma_feed_forward(norm(x, "mlp_norm"), c), "mlp_post_norm");
}

/// Whether a layer sees a window alone.
constexpr bool gemma_is_local(int layer, gemma_config c) { return layer % c.period != c.period - 1; }

/// The table of token vectors, [vocab, width].
constexpr expr gemma_words(expr tokens, gemma_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// Vectors of tokens [B, T], times sqrt(width): [B, T, width].
constexpr expr gemma_embeddings(expr words, expr tokens, gemma_config c) {
  return gather(words, tokens) * sqrt(constant(words, c.width));
}

/// Scores of the next token from the last norm's x [B, T, width]: [B, T, vocab].
constexpr expr gemma_scores(expr x, expr words, gemma_config c) {
  const expr logits = matmul(x, transpose(words));
  return c.logit_cap > 0 ? c.logit_cap * tanh(logits / c.logit_cap) : logits;
}

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr gemma_logits(expr tokens, gemma_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = gemma_words(tokens, c);
  const expr x = repeat("layers", c.layers, gemma_embeddings(words, tokens, c),
                        [c](expr y, int kind) { return gemma_block(y, c, gemma_is_local(kind, c)); },
                        {.period = c.period});
  return gemma_scores(rms_norm(x, "norm", {.epsilon = c.epsilon}), words, c);
}

/// How Hugging Face, whose norms are kept less 1, and llama.cpp (GGUF) name the parameters.
inline constexpr auto gemma_names = std::to_array<name_rule>({
    {"", "model.", naming::optional_prefix},
    {"words", "embed_tokens.weight"},
    {"words", "lm_head.weight", naming::tied},
    {"layers.*.attn_norm.weight", "layers.*.input_layernorm.weight", naming::raised(1)},
    {"layers.*.attn.q.weight", "layers.*.self_attn.q_proj.weight"},
    {"layers.*.attn.k.weight", "layers.*.self_attn.k_proj.weight"},
    {"layers.*.attn.v.weight", "layers.*.self_attn.v_proj.weight"},
    {"layers.*.attn.q_norm.weight", "layers.*.self_attn.q_norm.weight", naming::raised(1)},
    {"layers.*.attn.k_norm.weight", "layers.*.self_attn.k_norm.weight", naming::raised(1)},
    {"layers.*.attn.proj.weight", "layers.*.self_attn.o_proj.weight"},
    {"layers.*.attn_post_norm.weight", "layers.*.post_attention_layernorm.weight", naming::raised(1)},
    {"layers.*.mlp_norm.weight", "layers.*.pre_feedforward_layernorm.weight", naming::raised(1)},
    {"layers.*.mlp.gate.weight", "layers.*.mlp.gate_proj.weight"},
    {"layers.*.mlp.up.weight", "layers.*.mlp.up_proj.weight"},
    {"layers.*.mlp.down.weight", "layers.*.mlp.down_proj.weight"},
    {"layers.*.mlp_post_norm.weight", "layers.*.post_feedforward_layernorm.weight", naming::raised(1)},
    {"norm.weight", "norm.weight", naming::raised(1)},

    {"words", "token_embd.weight"},
    {"layers.*.attn_norm.weight", "blk.*.attn_norm.weight"},
    {"layers.*.attn.q.weight", "blk.*.attn_q.weight"},
    {"layers.*.attn.k.weight", "blk.*.attn_k.weight"},
    {"layers.*.attn.v.weight", "blk.*.attn_v.weight"},
    {"layers.*.attn.q_norm.weight", "blk.*.attn_q_norm.weight"},
    {"layers.*.attn.k_norm.weight", "blk.*.attn_k_norm.weight"},
    {"layers.*.attn.proj.weight", "blk.*.attn_output.weight"},
    {"layers.*.attn_post_norm.weight", "blk.*.post_attention_norm.weight"},
    {"layers.*.mlp_norm.weight", "blk.*.ffn_norm.weight"},
    {"layers.*.mlp.gate.weight", "blk.*.ffn_gate.weight"},
    {"layers.*.mlp.up.weight", "blk.*.ffn_up.weight"},
    {"layers.*.mlp.down.weight", "blk.*.ffn_down.weight"},
    {"layers.*.mlp_post_norm.weight", "blk.*.post_ffw_norm.weight"},
    {"norm.weight", "output_norm.weight"},
});

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <gemma_config c>
inline constexpr auto gemma = model(
    "gemma",
    [](graph& g) {
      g.output("logits", gemma_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    gemma_names);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <gemma_config c>
inline constexpr auto gemma_loss = model(
    "gemma_loss",
    [](graph& g) {
      const expr logits = gemma_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    gemma_names);

} // namespace fovea::models
