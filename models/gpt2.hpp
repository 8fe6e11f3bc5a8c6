#pragma once

// GPT-2: a language model of pre-norm decoder blocks (Radford et al. 2019, "Language Models are Unsupervised
// Multitask Learners"). Loads Hugging Face checkpoints of GPT2LMHeadModel and GPT2Model, and llama.cpp's
// (GGUF), unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct gpt2_config {
  int layers, heads, width, vocab, context;
  double epsilon = 1e-5;
};

/// The smallest of the four that were published: 124 million parameters.
inline constexpr gpt2_config gpt2_small{
    .layers = 12, .heads = 12, .width = 768, .vocab = 50257, .context = 1024};

/// One block: causal attention, then a feed-forward layer four times as wide, each normalised before and
/// added to its input (section 2.3). x [B, T, width] keeps its shape.
constexpr expr gpt2_block(expr x, gpt2_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  expr h = layer_norm(x, "ln_1", {.epsilon = c.epsilon});
  const expr a = attention(linear(h, "attn.q", c.width), linear(h, "attn.k", c.width),
                           linear(h, "attn.v", c.width), {.heads = c.heads, .mask = causal});
  x = x + linear(a, "attn.proj", c.width);
  h = layer_norm(x, "ln_2", {.epsilon = c.epsilon});
  return x + linear(gelu_tanh(linear(h, "mlp.up", 4 * c.width)), "mlp.down", c.width);
}

/// The table of token vectors, [vocab, width], which also scores the tokens at the end.
constexpr expr gpt2_words(expr tokens, gpt2_config c) {
  return parameter(tokens, "wte", {c.vocab, c.width}, init::normal(0.02));
}

/// The sum of token and position vectors: tokens [B, T] of int32 -> [B, T, width].
constexpr expr gpt2_embeddings(expr words, expr tokens, gpt2_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return gather(words, tokens) +
         learned_positions(tokens, "wpe",
                           {.context = c.context, .width = c.width, .init = init::normal(0.01)});
}

/// The blocks and the last norm: [B, T, width] for each token.
constexpr expr gpt2_decoder(expr words, expr tokens, gpt2_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x =
      repeat("h", c.layers, gpt2_embeddings(words, tokens, c), [c](expr y) { return gpt2_block(y, c); });
  return layer_norm(x, "ln_f", {.epsilon = c.epsilon});
}

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr gpt2_logits(expr tokens, gpt2_config c,
                           source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = gpt2_words(tokens, c);
  return matmul(gpt2_decoder(words, tokens, c), transpose(words));
}

/// How Hugging Face and llama.cpp (GGUF) name the parameters. Hugging Face's Conv1D keeps weights [in, out],
/// and c_attn holds query, key and value side by side; llama.cpp keeps [out, in], and attn_qkv holds the
/// three one below the other.
template <gpt2_config c>
inline constexpr auto gpt2_names = std::to_array<name_rule>({
    {"", "transformer.", naming::optional_prefix},
    {"wte", "wte.weight"},
    {"wte", "lm_head.weight", naming::tied},
    {"h.*.attn.q.weight", "h.*.attn.c_attn.weight", naming::columns(0, c.width) | naming::transposed},
    {"h.*.attn.k.weight", "h.*.attn.c_attn.weight",
     naming::columns(c.width, 2 * c.width) | naming::transposed},
    {"h.*.attn.v.weight", "h.*.attn.c_attn.weight",
     naming::columns(2 * c.width, 3 * c.width) | naming::transposed},
    {"h.*.attn.q.bias", "h.*.attn.c_attn.bias", naming::rows(0, c.width)},
    {"h.*.attn.k.bias", "h.*.attn.c_attn.bias", naming::rows(c.width, 2 * c.width)},
    {"h.*.attn.v.bias", "h.*.attn.c_attn.bias", naming::rows(2 * c.width, 3 * c.width)},
    {"h.*.attn.proj.weight", "h.*.attn.c_proj.weight", naming::transposed},
    {"h.*.attn.proj.bias", "h.*.attn.c_proj.bias"},
    {"h.*.mlp.up.weight", "h.*.mlp.c_fc.weight", naming::transposed},
    {"h.*.mlp.up.bias", "h.*.mlp.c_fc.bias"},
    {"h.*.mlp.down.weight", "h.*.mlp.c_proj.weight", naming::transposed},
    {"h.*.mlp.down.bias", "h.*.mlp.c_proj.bias"},
    {"", "h.*.attn.bias", naming::ignored},
    {"", "h.*.attn.masked_bias", naming::ignored},

    {"wte", "token_embd.weight"},
    {"wte", "output.weight", naming::tied},
    {"wpe.weight", "position_embd.weight"},
    {"h.*.ln_1.weight", "blk.*.attn_norm.weight"},
    {"h.*.ln_1.bias", "blk.*.attn_norm.bias"},
    {"h.*.attn.q.weight", "blk.*.attn_qkv.weight", naming::rows(0, c.width)},
    {"h.*.attn.k.weight", "blk.*.attn_qkv.weight", naming::rows(c.width, 2 * c.width)},
    {"h.*.attn.v.weight", "blk.*.attn_qkv.weight", naming::rows(2 * c.width, 3 * c.width)},
    {"h.*.attn.q.bias", "blk.*.attn_qkv.bias", naming::rows(0, c.width)},
    {"h.*.attn.k.bias", "blk.*.attn_qkv.bias", naming::rows(c.width, 2 * c.width)},
    {"h.*.attn.v.bias", "blk.*.attn_qkv.bias", naming::rows(2 * c.width, 3 * c.width)},
    {"h.*.attn.proj.weight", "blk.*.attn_output.weight"},
    {"h.*.attn.proj.bias", "blk.*.attn_output.bias"},
    {"h.*.ln_2.weight", "blk.*.ffn_norm.weight"},
    {"h.*.ln_2.bias", "blk.*.ffn_norm.bias"},
    {"h.*.mlp.up.weight", "blk.*.ffn_up.weight"},
    {"h.*.mlp.up.bias", "blk.*.ffn_up.bias"},
    {"h.*.mlp.down.weight", "blk.*.ffn_down.weight"},
    {"h.*.mlp.down.bias", "blk.*.ffn_down.bias"},
    {"ln_f.weight", "output_norm.weight"},
    {"ln_f.bias", "output_norm.bias"},
});

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <gpt2_config c>
inline constexpr auto gpt2 = model(
    "gpt2",
    [](graph& g) {
      g.output("logits", gpt2_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    gpt2_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <gpt2_config c>
inline constexpr auto gpt2_loss = model(
    "gpt2_loss",
    [](graph& g) {
      const expr logits = gpt2_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    gpt2_names<c>);

} // namespace fovea::models
