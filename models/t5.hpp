#pragma once

// T5: an encoder-decoder that sees positions as learned biases of its scores, which all layers of a stack
// share (Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
// Transformer"). Loads Hugging Face checkpoints of T5ForConditionalGeneration unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct t5_config {
  int layers; // of the encoder, and of the decoder
  int heads, head_width, width, inner, vocab;
  bool gated = false; // gelu(gate(x)) * up(x) instead of relu(up(x)), as from version 1.1 on
  bool tied = true;   // the table of token vectors also scores the tokens; not from version 1.1 on
  int buckets = 32;
  int max_distance = 128;
  double epsilon = 1e-6;
};

/// The smallest of the five that were published first: 60 million parameters.
inline constexpr t5_config t5_small{
    .layers = 6, .heads = 8, .head_width = 64, .width = 512, .inner = 2048, .vocab = 32128};

/// Attention of x [B, T, width] to memory [B, S, width] by scores that are not scaled.
constexpr expr t5_attention(expr x, expr memory, const char* name, t5_config c, attention_options options,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, name);
  const int inner = c.heads * c.head_width;
  options.heads = c.heads, options.scale = 1;
  const expr q = linear(x, "q", inner, {.bias = false}), k = linear(memory, "k", inner, {.bias = false}),
             v = linear(memory, "v", inner, {.bias = false});
  return linear(attention(q, k, v, options), "proj", c.width, {.bias = false});
}

/// relu(up(x)), or gelu(gate(x)) * up(x) (Shazeer 2020), mapped back: x [B, T, width] keeps its shape.
constexpr expr t5_feed_forward(expr x, t5_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr up = linear(x, "mlp.up", c.inner, {.bias = false});
  const expr h = c.gated ? gelu_tanh(linear(x, "mlp.gate", c.inner, {.bias = false})) * up : relu(up);
  return linear(h, "mlp.down", c.width, {.bias = false});
}

/// The table of token vectors, [vocab, width].
constexpr expr t5_words(expr tokens, t5_config c) { return parameter(tokens, "words", {c.vocab, c.width}); }

/// source [B, S] of int32, of which lengths [B] count -> memory [B, S, width].
constexpr expr t5_encoder(expr words, expr source, expr lengths, t5_config c,
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  const scope inside(source, "encoder");
  const attention_options self{
      .score = relative_bias(source, "relative_bias",
                             {.heads = c.heads, .buckets = c.buckets, .max_distance = c.max_distance}),
      .mask = padding(lengths)};
  const expr y = repeat("blocks", c.layers, gather(words, source), [&](expr x) {
    const expr h = rms_norm(x, "attn_norm", {.epsilon = c.epsilon});
    x = x + t5_attention(h, h, "attn", c, self);
    return x + t5_feed_forward(rms_norm(x, "mlp_norm", {.epsilon = c.epsilon}), c);
  });
  return rms_norm(y, "norm", {.epsilon = c.epsilon});
}

/// target [B, T] of int32 and memory [B, S, width], of which lengths [B] count -> [B, T, width].
constexpr expr t5_decoder(expr words, expr target, expr memory, expr lengths, t5_config c,
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  const scope inside(target, "decoder");
  const attention_options self{
      .score = relative_bias(
          target, "relative_bias",
          {.heads = c.heads, .buckets = c.buckets, .max_distance = c.max_distance, .both = false}),
      .mask = causal};
  const expr y = repeat("blocks", c.layers, gather(words, target), [&](expr x) {
    const expr h = rms_norm(x, "attn_norm", {.epsilon = c.epsilon});
    x = x + t5_attention(h, h, "attn", c, self);
    x = x + t5_attention(rms_norm(x, "cross_norm", {.epsilon = c.epsilon}), memory, "cross", c,
                         {.mask = padding(lengths)});
    return x + t5_feed_forward(rms_norm(x, "mlp_norm", {.epsilon = c.epsilon}), c);
  });
  return rms_norm(y, "norm", {.epsilon = c.epsilon});
}

/// Scores of the next token: the decoder's x [B, T, width] -> [B, T, vocab]. A tied table was made for
/// vectors of length 1 a feature, so x is scaled down.
constexpr expr t5_scores(expr x, expr words, t5_config c,
                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  if (!c.tied) return linear(x, "lm_head", c.vocab, {.bias = false});
  return matmul(x / sqrt(constant(x, c.width)), transpose(words));
}

/// How Hugging Face names the parameters.
template <t5_config c>
inline constexpr auto t5_names = std::to_array<name_rule>({
    {"words", "shared.weight"},
    {"words", "encoder.embed_tokens.weight", naming::tied},
    {"words", "decoder.embed_tokens.weight", naming::tied},
    {c.tied ? "words" : "lm_head.weight", "lm_head.weight", c.tied ? naming::tied : naming::transform{}},
    {"encoder.relative_bias.weight", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"encoder.blocks.*.attn_norm.weight", "encoder.block.*.layer.0.layer_norm.weight"},
    {"encoder.blocks.*.attn.q.weight", "encoder.block.*.layer.0.SelfAttention.q.weight"},
    {"encoder.blocks.*.attn.k.weight", "encoder.block.*.layer.0.SelfAttention.k.weight"},
    {"encoder.blocks.*.attn.v.weight", "encoder.block.*.layer.0.SelfAttention.v.weight"},
    {"encoder.blocks.*.attn.proj.weight", "encoder.block.*.layer.0.SelfAttention.o.weight"},
    {"encoder.blocks.*.mlp_norm.weight", "encoder.block.*.layer.1.layer_norm.weight"},
    {"encoder.blocks.*.mlp.gate.weight", "encoder.block.*.layer.1.DenseReluDense.wi_0.weight"},
    {"encoder.blocks.*.mlp.up.weight", c.gated ? "encoder.block.*.layer.1.DenseReluDense.wi_1.weight"
                                               : "encoder.block.*.layer.1.DenseReluDense.wi.weight"},
    {"encoder.blocks.*.mlp.down.weight", "encoder.block.*.layer.1.DenseReluDense.wo.weight"},
    {"encoder.norm.weight", "encoder.final_layer_norm.weight"},
    {"decoder.relative_bias.weight", "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    {"decoder.blocks.*.attn_norm.weight", "decoder.block.*.layer.0.layer_norm.weight"},
    {"decoder.blocks.*.attn.q.weight", "decoder.block.*.layer.0.SelfAttention.q.weight"},
    {"decoder.blocks.*.attn.k.weight", "decoder.block.*.layer.0.SelfAttention.k.weight"},
    {"decoder.blocks.*.attn.v.weight", "decoder.block.*.layer.0.SelfAttention.v.weight"},
    {"decoder.blocks.*.attn.proj.weight", "decoder.block.*.layer.0.SelfAttention.o.weight"},
    {"decoder.blocks.*.cross_norm.weight", "decoder.block.*.layer.1.layer_norm.weight"},
    {"decoder.blocks.*.cross.q.weight", "decoder.block.*.layer.1.EncDecAttention.q.weight"},
    {"decoder.blocks.*.cross.k.weight", "decoder.block.*.layer.1.EncDecAttention.k.weight"},
    {"decoder.blocks.*.cross.v.weight", "decoder.block.*.layer.1.EncDecAttention.v.weight"},
    {"decoder.blocks.*.cross.proj.weight", "decoder.block.*.layer.1.EncDecAttention.o.weight"},
    {"decoder.blocks.*.mlp_norm.weight", "decoder.block.*.layer.2.layer_norm.weight"},
    {"decoder.blocks.*.mlp.gate.weight", "decoder.block.*.layer.2.DenseReluDense.wi_0.weight"},
    {"decoder.blocks.*.mlp.up.weight", c.gated ? "decoder.block.*.layer.2.DenseReluDense.wi_1.weight"
                                               : "decoder.block.*.layer.2.DenseReluDense.wi.weight"},
    {"decoder.blocks.*.mlp.down.weight", "decoder.block.*.layer.2.DenseReluDense.wo.weight"},
    {"decoder.norm.weight", "decoder.final_layer_norm.weight"},
    // The first checkpoints hold a table that no score reads.
    {"", "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", naming::ignored},
});

/// source_ids [B, S], source_lengths [B] and decoder_ids [B, T] of int32 -> memory [B, S, width] and logits
/// [B, T, vocab].
template <t5_config c>
inline constexpr auto t5 = model(
    "t5",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = t5_words(source, c), memory = t5_encoder(words, source, lengths, c);
      g.output("memory", memory);
      g.output("logits", t5_scores(t5_decoder(words, target, memory, lengths, c), words, c));
    },
    t5_names<c>);

/// The same inputs and targets [B, T] of int32, -100 ignored -> the mean negative log likelihood of a token,
/// in nats.
template <t5_config c>
inline constexpr auto t5_loss = model(
    "t5_loss",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = t5_words(source, c), memory = t5_encoder(words, source, lengths, c);
      const expr logits = t5_scores(t5_decoder(words, target, memory, lengths, c), words, c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    t5_names<c>);

} // namespace fovea::models
