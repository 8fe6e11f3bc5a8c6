#pragma once

// The Transformer (Vaswani et al. 2017): an encoder, and a decoder that attends to what the encoder made of
// the source. Blocks normalise after each sum as in the paper, or before each layer (Xiong et al. 2020).
// Parameters have the names of torch.nn.Transformer.

#include <fovea/models/self_attention.hpp>

namespace fovea::models {

enum class activation { relu, gelu, gelu_tanh };

/// What a block of either kind is made of.
struct transformer_block_config {
  int heads, width, inner;
  bool norm_first = false;
  models::activation activation = models::activation::relu;
  double epsilon = 1e-5;
};

constexpr expr activated(expr x, activation how, place at = {__builtin_FILE(), __builtin_LINE()}) {
  switch (how) {
    case activation::gelu:
      return gelu(x, at);
    case activation::gelu_tanh:
      return gelu_tanh(x, at);
    default:
      return relu(x, at);
  }
}

/// x + f(x), normalised after the sum, or before f. x keeps its shape.
template <class F>
constexpr expr residual(expr x, const char* norm, const transformer_block_config& c, F f,
                        place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  if (c.norm_first) return x + f(layer_norm(x, norm, {.epsilon = c.epsilon}));
  return layer_norm(x + f(x), norm, {.epsilon = c.epsilon});
}

/// Two linear maps with an activation between, position by position (section 3.3). x [B, T, width] keeps its
/// shape.
constexpr expr feed_forward(expr x, const transformer_block_config& c,
                            place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return linear(activated(linear(x, "linear1", c.inner), c.activation), "linear2", c.width);
}

/// One encoder block: self-attention, then a feed-forward layer. x [B, T, width] keeps its shape.
constexpr expr encoder_block(expr x, fovea::mask mask, const transformer_block_config& c,
                             place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = residual(x, "norm1", c, [&](expr y) {
    const scope inside(y, "self_attn");
    return multi_head_attention(y, y, {.heads = c.heads, .width = c.width, .mask = mask});
  });
  return residual(x, "norm2", c, [&](expr y) { return feed_forward(y, c); });
}

/// One decoder block: causal self-attention, attention to memory [B, S, width] where `memory_mask` allows,
/// then a feed-forward layer. x [B, T, width] keeps its shape.
constexpr expr decoder_block(expr x, expr memory, fovea::mask memory_mask, const transformer_block_config& c,
                             place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = residual(x, "norm1", c, [&](expr y) {
    const scope inside(y, "self_attn");
    return multi_head_attention(y, y, {.heads = c.heads, .width = c.width, .mask = causal});
  });
  x = residual(x, "norm2", c, [&](expr y) {
    const scope inside(y, "multihead_attn");
    return multi_head_attention(y, memory, {.heads = c.heads, .width = c.width, .mask = memory_mask});
  });
  return residual(x, "norm3", c, [&](expr y) { return feed_forward(y, c); });
}

struct transformer_config {
  int layers; // of the encoder, and of the decoder
  transformer_block_config block;
  int source_vocab, target_vocab;
};

/// The base model of the paper (table 3).
constexpr transformer_config transformer_base(int source_vocab, int target_vocab) {
  return {.layers = 6,
          .block = {.heads = 8, .width = 512, .inner = 2048},
          .source_vocab = source_vocab,
          .target_vocab = target_vocab};
}

/// sqrt(width) times a learned vector, plus the sinusoid of the position (sections 3.4 and 3.5): ids [B, T]
/// of int32 -> [B, T, width].
constexpr expr embedded(expr ids, const char* name, int vocab, int width,
                        place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(ids, at);
  const expr x = embedding(ids, name, vocab, width, init::normal(0.02));
  return x * sqrt(constant(x, width)) + sinusoidal_positions(x);
}

/// The encoder: [B, S, width] for each of the source's tokens [B, S], the first lengths [B] of which count.
constexpr expr transformer_encoder(expr source, expr lengths, const transformer_config& c,
                                   place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  const expr x = embedded(source, "src_embedding", c.source_vocab, c.block.width);
  const scope inside(x, "encoder");
  const expr y =
      repeat("layers", c.layers, x, [&](expr z) { return encoder_block(z, padding(lengths), c.block); });
  return layer_norm(y, "norm", {.epsilon = c.block.epsilon});
}

/// The decoder: tokens [B, T] written so far and memory [B, S, width], of which lengths [B] count -> [B, T,
/// width].
constexpr expr transformer_decoder(expr target, expr memory, expr lengths, const transformer_config& c,
                                   place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  const expr x = embedded(target, "tgt_embedding", c.target_vocab, c.block.width);
  const scope inside(x, "decoder");
  const expr y = repeat("layers", c.layers, x,
                        [&](expr z) { return decoder_block(z, memory, padding(lengths), c.block); });
  return layer_norm(y, "norm", {.epsilon = c.block.epsilon});
}

/// The scores of the target's next token at each position: [B, T, width] -> [B, T, target_vocab].
constexpr expr transformer_generator(expr x, const transformer_config& c,
                                     place at = {__builtin_FILE(), __builtin_LINE()}) {
  return linear(x, "generator", c.target_vocab, {}, at);
}

/// How torch.nn.TransformerEncoderLayer and TransformerDecoderLayer name the parameters of one block alone.
constexpr auto encoder_block_names(int width) { return fused_projection_names<"self_attn.">(width); }
constexpr auto decoder_block_names(int width) {
  return joined_names(fused_projection_names<"self_attn.">(width),
                      fused_projection_names<"multihead_attn.">(width));
}

/// The same for the whole model, whose stacks may stand below "transformer.".
template <transformer_config c>
inline constexpr auto transformer_names =
    joined_names(std::array{name_rule{"", "transformer.", optional_prefix}},
                 fused_projection_names<"encoder.layers.*.self_attn.">(c.block.width),
                 fused_projection_names<"decoder.layers.*.self_attn.">(c.block.width),
                 fused_projection_names<"decoder.layers.*.multihead_attn.">(c.block.width));

/// source_ids [B, S], source_lengths [B] and decoder_ids [B, T] of int32 -> memory [B, S, width] and logits
/// [B, T, target_vocab].
template <transformer_config c>
inline constexpr auto transformer = model(
    "transformer",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr memory = transformer_encoder(source, lengths, c);
      g.output("memory", memory);
      g.output("logits", transformer_generator(transformer_decoder(target, memory, lengths, c), c));
    },
    transformer_names<c>);

} // namespace fovea::models
