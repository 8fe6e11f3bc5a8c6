#pragma once

// The Transformer (Vaswani et al. 2017): encoder and decoder blocks with the norm after each sum as
// published, or before (Xiong et al. 2020), and the whole encoder-decoder. Parameters are named as in
// PyTorch's nn.Transformer, whose checkpoints load unchanged.

#include <fovea/dsl.hpp>
#include <fovea/models/self_attention.hpp>

#include <array>

namespace fovea::models {

enum class feed_forward_activation : std::uint8_t { relu, gelu, gelu_tanh };

struct transformer_config {
  int layers, heads, width, inner; // as many layers in the encoder as in the decoder
  int source_vocab = 1, target_vocab = 1;
  bool norm_first = false;
  feed_forward_activation activation = feed_forward_activation::relu;
  double epsilon = 1e-5;
};

/// The base model of the paper (table 3), for vocabularies of 37,000 subwords.
inline constexpr transformer_config transformer_base{
    .layers = 6, .heads = 8, .width = 512, .inner = 2048, .source_vocab = 37000, .target_vocab = 37000};

/// linear2(activation(linear1(x))) (section 3.3): x [B, T, width] keeps its shape.
constexpr expr feed_forward(expr x, transformer_config c, place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = linear(x, "linear1", c.inner);
  const expr active = c.activation == feed_forward_activation::relu   ? relu(h)
                      : c.activation == feed_forward_activation::gelu ? gelu(h)
                                                                      : gelu_tanh(h);
  return linear(active, "linear2", c.width);
}

/// x + f(x) with a norm: norm(x + f(x)), or x + f(norm(x)) where the norm comes first.
template <class F>
constexpr expr sublayer(expr x, const char* norm, transformer_config c, F f,
                        place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  if (c.norm_first) return x + f(layer_norm(x, norm, {.epsilon = c.epsilon}));
  return layer_norm(x + f(x), norm, {.epsilon = c.epsilon});
}

/// Self-attention, then the feed-forward layer (section 3.1): x [B, T, width] keeps its shape.
constexpr expr encoder_block(expr x, mask visible, transformer_config c,
                             place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = sublayer(x, "norm1", c, [&](expr y) {
    const scope inside(y, "self_attn");
    return multi_head_attention(y, y, c.width, c.heads, visible);
  });
  return sublayer(x, "norm2", c, [&](expr y) { return feed_forward(y, c); });
}

/// Causal self-attention, attention to memory [B, S, width] as far as it is visible, then the feed-forward
/// layer: x [B, T, width] keeps its shape.
constexpr expr decoder_block(expr x, expr memory, mask visible, transformer_config c,
                             place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = sublayer(x, "norm1", c, [&](expr y) {
    const scope inside(y, "self_attn");
    return multi_head_attention(y, y, c.width, c.heads, causal);
  });
  x = sublayer(x, "norm2", c, [&](expr y) {
    const scope inside(y, "multihead_attn");
    return multi_head_attention(y, memory, c.width, c.heads, visible);
  });
  return sublayer(x, "norm3", c, [&](expr y) { return feed_forward(y, c); });
}

/// Token vectors times sqrt(width), plus sines of the positions (sections 3.4 and 3.5): ids [B, T] of int32
/// -> [B, T, width].
constexpr expr transformer_embeddings(expr ids, const char* name, int vocab, transformer_config c,
                                      place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(ids, at);
  const expr x = embedding(ids, name, vocab, c.width, init::normal(0.02));
  return x * sqrt(constant(x, c.width)) + sinusoidal_positions(x);
}

/// The encoder's blocks and a last norm: source [B, S] of int32 -> memory [B, S, width].
constexpr expr transformer_encoder(expr source, mask visible, transformer_config c,
                                   place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  expr x = transformer_embeddings(source, "src_embedding", c.source_vocab, c);
  const scope names(x, "encoder");
  x = repeat("layers", c.layers, x, [&](expr y) { return encoder_block(y, visible, c); });
  return layer_norm(x, "norm", {.epsilon = c.epsilon});
}

/// The decoder's blocks and a last norm: target [B, T] of int32 and memory [B, S, width] -> [B, T, width].
constexpr expr transformer_decoder(expr target, expr memory, mask visible, transformer_config c,
                                   place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  expr x = transformer_embeddings(target, "tgt_embedding", c.target_vocab, c);
  const scope names(x, "decoder");
  x = repeat("layers", c.layers, x, [&](expr y) { return decoder_block(y, memory, visible, c); });
  return layer_norm(x, "norm", {.epsilon = c.epsilon});
}

/// Scores of the next target token: x [B, T, width] -> [B, T, target_vocab].
constexpr expr transformer_scores(expr x, transformer_config c) {
  return linear(x, "generator", c.target_vocab);
}

/// How PyTorch names what is fused in an encoder and a decoder block; the rest has its names already.
template <transformer_config c>
inline constexpr auto transformer_block_names = std::to_array<name_rule>({
    {"self_attn.q.weight", "self_attn.in_proj_weight", rows(0, c.width)},
    {"self_attn.k.weight", "self_attn.in_proj_weight", rows(c.width, 2 * c.width)},
    {"self_attn.v.weight", "self_attn.in_proj_weight", rows(2 * c.width, 3 * c.width)},
    {"self_attn.q.bias", "self_attn.in_proj_bias", rows(0, c.width)},
    {"self_attn.k.bias", "self_attn.in_proj_bias", rows(c.width, 2 * c.width)},
    {"self_attn.v.bias", "self_attn.in_proj_bias", rows(2 * c.width, 3 * c.width)},
    {"multihead_attn.q.weight", "multihead_attn.in_proj_weight", rows(0, c.width)},
    {"multihead_attn.k.weight", "multihead_attn.in_proj_weight", rows(c.width, 2 * c.width)},
    {"multihead_attn.v.weight", "multihead_attn.in_proj_weight", rows(2 * c.width, 3 * c.width)},
    {"multihead_attn.q.bias", "multihead_attn.in_proj_bias", rows(0, c.width)},
    {"multihead_attn.k.bias", "multihead_attn.in_proj_bias", rows(c.width, 2 * c.width)},
    {"multihead_attn.v.bias", "multihead_attn.in_proj_bias", rows(2 * c.width, 3 * c.width)},
});

/// The same for the whole model, whose stacks may stand below "transformer.".
template <transformer_config c>
inline constexpr auto transformer_names = std::to_array<name_rule>({
    {"", "transformer.", optional_prefix},
    {"encoder.layers.*.self_attn.q.weight", "encoder.layers.*.self_attn.in_proj_weight", rows(0, c.width)},
    {"encoder.layers.*.self_attn.k.weight", "encoder.layers.*.self_attn.in_proj_weight",
     rows(c.width, 2 * c.width)},
    {"encoder.layers.*.self_attn.v.weight", "encoder.layers.*.self_attn.in_proj_weight",
     rows(2 * c.width, 3 * c.width)},
    {"encoder.layers.*.self_attn.q.bias", "encoder.layers.*.self_attn.in_proj_bias", rows(0, c.width)},
    {"encoder.layers.*.self_attn.k.bias", "encoder.layers.*.self_attn.in_proj_bias",
     rows(c.width, 2 * c.width)},
    {"encoder.layers.*.self_attn.v.bias", "encoder.layers.*.self_attn.in_proj_bias",
     rows(2 * c.width, 3 * c.width)},
    {"decoder.layers.*.self_attn.q.weight", "decoder.layers.*.self_attn.in_proj_weight", rows(0, c.width)},
    {"decoder.layers.*.self_attn.k.weight", "decoder.layers.*.self_attn.in_proj_weight",
     rows(c.width, 2 * c.width)},
    {"decoder.layers.*.self_attn.v.weight", "decoder.layers.*.self_attn.in_proj_weight",
     rows(2 * c.width, 3 * c.width)},
    {"decoder.layers.*.self_attn.q.bias", "decoder.layers.*.self_attn.in_proj_bias", rows(0, c.width)},
    {"decoder.layers.*.self_attn.k.bias", "decoder.layers.*.self_attn.in_proj_bias",
     rows(c.width, 2 * c.width)},
    {"decoder.layers.*.self_attn.v.bias", "decoder.layers.*.self_attn.in_proj_bias",
     rows(2 * c.width, 3 * c.width)},
    {"decoder.layers.*.multihead_attn.q.weight", "decoder.layers.*.multihead_attn.in_proj_weight",
     rows(0, c.width)},
    {"decoder.layers.*.multihead_attn.k.weight", "decoder.layers.*.multihead_attn.in_proj_weight",
     rows(c.width, 2 * c.width)},
    {"decoder.layers.*.multihead_attn.v.weight", "decoder.layers.*.multihead_attn.in_proj_weight",
     rows(2 * c.width, 3 * c.width)},
    {"decoder.layers.*.multihead_attn.q.bias", "decoder.layers.*.multihead_attn.in_proj_bias",
     rows(0, c.width)},
    {"decoder.layers.*.multihead_attn.k.bias", "decoder.layers.*.multihead_attn.in_proj_bias",
     rows(c.width, 2 * c.width)},
    {"decoder.layers.*.multihead_attn.v.bias", "decoder.layers.*.multihead_attn.in_proj_bias",
     rows(2 * c.width, 3 * c.width)},
});

/// source [B, S] and target [B, T] of int32, source_lengths [B] -> memory [B, S, width] and logits [B, T,
/// target_vocab].
template <transformer_config c>
inline constexpr auto transformer = model(
    "transformer",
    [](graph& g) {
      const expr source = g.input<i32>("source", {"B", "S"}), target = g.input<i32>("target", {"B", "T"});
      const mask visible = padding(g.input<i32>("source_lengths", {"B"}));
      const expr memory = transformer_encoder(source, visible, c);
      g.output("memory", memory);
      g.output("logits", transformer_scores(transformer_decoder(target, memory, visible, c), c));
    },
    transformer_names<c>);

} // namespace fovea::models
