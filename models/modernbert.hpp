#pragma once

// ModernBERT: a bidirectional encoder of pre-norm blocks without biases, with rotary positions and gated
// feed-forward layers, in which two layers of three see a window alone (Warner et al. 2024, section 2). Loads
// Hugging Face checkpoints of ModernBertModel and ModernBertForMaskedLM unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct modernbert_config {
  int layers, heads, width, inner, vocab;
  int window = 128;          // a local layer's token sees those at most half of it away, on both sides
  int period = 3;            // layers 0, period, 2 period, ... see all tokens
  double base = 160000;      // of the rotary positions of layers that see all
  double local_base = 10000; // of the others
  double epsilon = 1e-5;
};

/// answerdotai/ModernBERT-base: 149 million parameters.
inline constexpr modernbert_config modernbert_base{
    .layers = 22, .heads = 12, .width = 768, .inner = 1152, .vocab = 50368};

/// The norm of all of them, without bias.
constexpr expr modernbert_norm(expr x, const char* name, modernbert_config c) {
  return layer_norm(x, name, {.epsilon = c.epsilon, .bias = false});
}

/// Attention over what `lengths` [B] leave of a text, without the norm before it: x [B, T, width] keeps its shape.
/// `local`: in a window.
constexpr expr modernbert_attention(expr x, expr lengths, modernbert_config c, bool local,
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const rope_options turned{.heads = c.heads, .base = local ? c.local_base : c.base};
  const expr q = rope(linear(x, "attn.q", c.width, {.bias = false}), turned),
             k = rope(linear(x, "attn.k", c.width, {.bias = false}), turned),
             v = linear(x, "attn.v", c.width, {.bias = false});
  const auto seen = local ? window(c.window / 2, c.window / 2) & padding(lengths) : padding(lengths);
  return linear(attention(q, k, v, {.heads = c.heads, .mask = seen}), "attn.proj", c.width, {.bias = false});
}

/// down(gelu(gate(x)) * up(x)), GeGLU (Shazeer 2020): x [B, T, width] keeps its shape.
constexpr expr modernbert_feed_forward(expr x, modernbert_config c,
                                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr gate = linear(x, "mlp.gate", c.inner, {.bias = false}),
             up = linear(x, "mlp.up", c.inner, {.bias = false});
  return linear(gelu(gate) * up, "mlp.down", c.width, {.bias = false});
}

/// One block: attention, then the feed-forward layer, each normalised before and added to its input. The first
/// block's input is normalised already.
constexpr expr modernbert_block(expr x, expr lengths, modernbert_config c, int layer,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = layer == 0 ? x : modernbert_norm(x, "attn_norm", c);
  x = x + modernbert_attention(h, lengths, c, layer % c.period != 0);
  return x + modernbert_feed_forward(modernbert_norm(x, "mlp_norm", c), c);
}

/// The table of token vectors, [vocab, width].
constexpr expr modernbert_words(expr tokens, modernbert_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// The blocks and the last norm: tokens [B, T] of int32 -> [B, T, width].
constexpr expr modernbert_encoder(expr words, expr tokens, expr lengths, modernbert_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  expr x = modernbert_norm(gather(words, tokens), "embed_norm", c);
  {
    const scope first(x, "layers", 0);
    x = modernbert_block(x, lengths, c, 0);
  }
  x = repeat("layers", c.layers - 1, x,
             [&](expr y, int kind) { return modernbert_block(y, lengths, c, kind + 1); },
             {.first = 1, .period = c.period});
  return modernbert_norm(x, "norm", c);
}

/// Scores of every token of the vocabulary at each position, through the token table once more: [B, T, vocab].
constexpr expr modernbert_token_scores(expr x, expr words, modernbert_config c,
                                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h =
      modernbert_norm(gelu(linear(x, "predict.dense", c.width, {.bias = false})), "predict.norm", c);
  return matmul(h, transpose(words)) + parameter(x, "predict.bias", {c.vocab}, init::zeros());
}

/// How Hugging Face names the parameters.
template <modernbert_config c>
inline constexpr auto modernbert_names = std::to_array<name_rule>({
    {"", "model.", naming::optional_prefix},
    {"words", "embeddings.tok_embeddings.weight"},
    {"words", "decoder.weight", naming::tied},
    {"embed_norm.weight", "embeddings.norm.weight"},
    {"layers.*.attn_norm.weight", "layers.*.attn_norm.weight"},
    {"layers.*.attn.q.weight", "layers.*.attn.Wqkv.weight", naming::rows(0, c.width)},
    {"layers.*.attn.k.weight", "layers.*.attn.Wqkv.weight", naming::rows(c.width, 2 * c.width)},
    {"layers.*.attn.v.weight", "layers.*.attn.Wqkv.weight", naming::rows(2 * c.width, 3 * c.width)},
    {"layers.*.attn.proj.weight", "layers.*.attn.Wo.weight"},
    {"layers.*.mlp_norm.weight", "layers.*.mlp_norm.weight"},
    {"layers.*.mlp.gate.weight", "layers.*.mlp.Wi.weight", naming::rows(0, c.inner)},
    {"layers.*.mlp.up.weight", "layers.*.mlp.Wi.weight", naming::rows(c.inner, 2 * c.inner)},
    {"layers.*.mlp.down.weight", "layers.*.mlp.Wo.weight"},
    {"norm.weight", "final_norm.weight"},
    {"predict.dense.weight", "head.dense.weight"},
    {"predict.norm.weight", "head.norm.weight"},
    {"predict.bias", "decoder.bias"},
    {"", "head.**", naming::ignored}, // where a model has no such head
    {"", "decoder.bias", naming::ignored},
});

/// tokens [B, T], lengths [B] of int32 -> hidden [B, T, width].
template <modernbert_config c>
inline constexpr auto modernbert = model(
    "modernbert",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      g.output("hidden", modernbert_encoder(modernbert_words(tokens, c), tokens, lengths, c));
    },
    modernbert_names<c>);

/// -> logits [B, T, vocab] for the token at each position, hidden or not. ModernBertForMaskedLM.
template <modernbert_config c>
inline constexpr auto modernbert_masked_language_model = model(
    "modernbert_masked_language_model",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = modernbert_words(tokens, c);
      g.output("logits", modernbert_token_scores(modernbert_encoder(words, tokens, lengths, c), words, c));
    },
    modernbert_names<c>);

/// And targets [B, T], -100 where the token is not hidden -> loss, the mean negative log likelihood of the
/// hidden tokens, in nats.
template <modernbert_config c>
inline constexpr auto modernbert_masked_language_model_loss = model(
    "modernbert_masked_language_model_loss",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = modernbert_words(tokens, c), x = modernbert_encoder(words, tokens, lengths, c);
      g.output("loss",
               cross_entropy(modernbert_token_scores(x, words, c), g.input<i32>("targets", {"B", "T"})));
    },
    modernbert_names<c>);

} // namespace fovea::models
