#pragma once

// GPT-2: a causal Transformer with pre-norm blocks and a tied output projection (Radford et al. 2019). Loads
// Hugging Face checkpoints of GPT2LMHeadModel unchanged.

#include <fovea/dsl.hpp>

namespace fovea::models {

struct gpt2_config {
  int layers, heads, width, vocab, context;
  double epsilon = 1e-5;
};

inline constexpr gpt2_config gpt2_small{
    .layers = 12, .heads = 12, .width = 768, .vocab = 50257, .context = 1024};

/// One block: normalise, attend, add; normalise, feed forward, add (section 2.3). x [B, T, width] keeps its
/// shape.
constexpr expr gpt2_block(expr x, gpt2_config c, place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  expr h = layer_norm(x, "ln_1", {.epsilon = c.epsilon});
  const expr a = attention(linear(h, "attn.q", c.width), linear(h, "attn.k", c.width),
                           linear(h, "attn.v", c.width), {.heads = c.heads, .mask = causal});
  x = x + linear(a, "attn.proj", c.width);
  h = layer_norm(x, "ln_2", {.epsilon = c.epsilon});
  return x + linear(gelu_tanh(linear(h, "mlp.up", 4 * c.width)), "mlp.down", c.width);
}

/// Token and position vectors through all blocks and the last norm: tokens [B, T] -> [B, T, width].
/// `wte` is the token table [vocab, width].
constexpr expr gpt2_hidden(expr wte, expr tokens, gpt2_config c,
                           place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x =
      gather(wte, tokens) + learned_positions(tokens, "wpe", {.context = c.context, .width = c.width});
  return layer_norm(repeat("h", c.layers, x, [c](expr y) { return gpt2_block(y, c); }), "ln_f",
                    {.epsilon = c.epsilon});
}

/// Scores of every token of the vocabulary as the next one, at each position: tokens [B, T] -> [B, T, vocab].
constexpr expr gpt2_logits(expr tokens, gpt2_config c, place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr wte = parameter(tokens, "wte", {c.vocab, c.width}, init::normal(0.02));
  return matmul(gpt2_hidden(wte, tokens, c), transpose(wte));
}

/// How Hugging Face names them: query, key and value are one matrix, and matrices are [in, out].
template <gpt2_config c>
inline constexpr name_rule gpt2_names[] = {
    {"", "transformer.", optional_prefix},
    {"wte", "wte.weight"},
    {"wte", "lm_head.weight", tied},
    {"h.*.attn.q.weight", "h.*.attn.c_attn.weight", columns(0, c.width) | transposed},
    {"h.*.attn.k.weight", "h.*.attn.c_attn.weight", columns(c.width, 2 * c.width) | transposed},
    {"h.*.attn.v.weight", "h.*.attn.c_attn.weight", columns(2 * c.width, 3 * c.width) | transposed},
    {"h.*.attn.q.bias", "h.*.attn.c_attn.bias", rows(0, c.width)},
    {"h.*.attn.k.bias", "h.*.attn.c_attn.bias", rows(c.width, 2 * c.width)},
    {"h.*.attn.v.bias", "h.*.attn.c_attn.bias", rows(2 * c.width, 3 * c.width)},
    {"h.*.attn.proj.weight", "h.*.attn.c_proj.weight", transposed},
    {"h.*.attn.proj.bias", "h.*.attn.c_proj.bias"},
    {"h.*.mlp.up.weight", "h.*.mlp.c_fc.weight", transposed},
    {"h.*.mlp.up.bias", "h.*.mlp.c_fc.bias"},
    {"h.*.mlp.down.weight", "h.*.mlp.c_proj.weight", transposed},
    {"h.*.mlp.down.bias", "h.*.mlp.c_proj.bias"},
    {"", "h.*.attn.bias", ignored}, // the causal mask, as a buffer
    {"", "h.*.attn.masked_bias", ignored},
};

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <gpt2_config c>
inline constexpr auto gpt2 = model(
    "gpt2",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {dim{"B"}, dim{"T"}});
      g.output("logits", gpt2_logits(tokens, c));
    },
    gpt2_names<c>);

} // namespace fovea::models
