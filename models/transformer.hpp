#pragma once

// The Transformer (Vaswani et al. 2017): an encoder, and a decoder that attends to what the encoder made of
// the source; and its decoder alone, a language model (Liu et al. 2018). Blocks normalise after each sum as
// in the paper, or before each layer (Xiong et al. 2020). Parameters have the names of torch.nn.Transformer.

#include <fovea/models/self_attention.hpp>

namespace fovea::models {

enum class activation { relu, gelu, gelu_tanh, silu, quick_gelu };

/// What a block of either kind is made of.
struct transformer_block_config {
  int heads, width, inner;
  bool norm_first = false;
  models::activation activation = models::activation::relu;
  double epsilon = 1e-5;
  bool bias = true;     // of linear maps and norms
  bool key_bias = true; // of the map to keys
  double dropout =
      0; // of f(x) before the sum with x, and of what a stack reads, while training (section 5.4)
};

constexpr expr activated(expr x, activation how, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  switch (how) {
    case activation::gelu:
      return gelu(x, at);
    case activation::gelu_tanh:
      return gelu_tanh(x, at);
    case activation::silu:
      return silu(x, at);
    case activation::quick_gelu: // of the first CLIP (Hendrycks and Gimpel 2016, section 2)
      return x * sigmoid(1.702 * x);
    default:
      return relu(x, at);
  }
}

/// x + f(x), normalised after the sum, or before f. x keeps its shape.
template <class F>
constexpr expr residual(expr x, const char* norm, const transformer_block_config& c, F f,
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const norm_options options{.epsilon = c.epsilon, .bias = c.bias};
  if (c.norm_first) return x + dropout(f(layer_norm(x, norm, options)), c.dropout);
  return layer_norm(x + dropout(f(x), c.dropout), norm, options);
}

/// Two linear maps with an activation between, position by position (section 3.3). x [B, T, width] keeps its
/// shape.
constexpr expr feed_forward(expr x, const transformer_block_config& c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = activated(linear(x, "linear1", c.inner, {.bias = c.bias}), c.activation);
  return linear(h, "linear2", c.width, {.bias = c.bias});
}

/// What attention with a mask is told in a block.
constexpr multi_head_config heads_of(const transformer_block_config& c, fovea::attention_mask mask) {
  return {.heads = c.heads, .width = c.width, .mask = mask, .bias = c.bias, .key_bias = c.key_bias};
}

/// One encoder block: self-attention, then a feed-forward layer. x [B, T, width] keeps its shape.
constexpr expr encoder_block(expr x, fovea::attention_mask mask, const transformer_block_config& c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = residual(x, "norm1", c, [&](expr y) {
    const scope inside(y, "self_attn");
    return multi_head_attention(y, y, heads_of(c, mask));
  });
  return residual(x, "norm2", c, [&](expr y) { return feed_forward(y, c); });
}

/// One decoder block: causal self-attention, attention to memory [B, S, width] where `memory_mask` allows,
/// then a feed-forward layer. x [B, T, width] keeps its shape.
constexpr expr decoder_block(expr x, expr memory, fovea::attention_mask memory_mask,
                             const transformer_block_config& c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = residual(x, "norm1", c, [&](expr y) {
    const scope inside(y, "self_attn");
    return multi_head_attention(y, y, heads_of(c, causal));
  });
  x = residual(x, "norm2", c, [&](expr y) {
    const scope inside(y, "multihead_attn");
    return multi_head_attention(y, memory, heads_of(c, memory_mask));
  });
  return residual(x, "norm3", c, [&](expr y) { return feed_forward(y, c); });
}

enum class position_kind : std::uint8_t { none, sinusoidal, learned };

/// How a token becomes the vector that a stack reads.
struct token_embedding_config {
  bool scaled = true; // the token's vector times sqrt(width)
  position_kind positions = position_kind::sinusoidal;
  int context = 0; // how many positions there are, of learned ones
};

struct transformer_config {
  int layers; // of the encoder, and of the decoder
  transformer_block_config block;
  int source_vocab, target_vocab;
  token_embedding_config embedding = {};
  bool final_norm = true; // at the end of each stack
};

/// The base model of the paper (table 3).
constexpr transformer_config transformer_base(int source_vocab, int target_vocab) {
  return {.layers = 6,
          .block = {.heads = 8, .width = 512, .inner = 2048},
          .source_vocab = source_vocab,
          .target_vocab = target_vocab};
}

/// A learned vector for each token, times sqrt(width), plus the vector of its position (sections 3.4 and
/// 3.5): ids [B, T] of int32 -> [B, T, width]. Makes name_embedding.weight [vocab, width] and, for learned
/// positions, name_positions.weight [context, width].
template <name_text name>
constexpr expr embedded(expr ids, int vocab, int width, token_embedding_config c,
                        source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(ids, at);
  expr x = embedding(ids, scoped_name<name, "_embedding">.data(), vocab, width, init::normal(0.02));
  if (c.scaled) x = x * sqrt(constant(x, width));
  switch (c.positions) {
    case position_kind::sinusoidal:
      return x + sinusoidal_positions(x);
    case position_kind::learned:
      return x + learned_positions(x, scoped_name<name, "_positions">.data(),
                                   {.context = c.context, .width = width, .init = init::normal(0.02)});
    default:
      return x;
  }
}

/// Blocks one after another, "layers", and the norm after the last, if there is one. x [..., width] keeps its
/// shape.
template <class F>
constexpr expr stacked(expr x, int layers, bool final_norm, const transformer_block_config& c, F block,
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr y = repeat("layers", layers, x, block);
  return final_norm ? layer_norm(y, "norm", {.epsilon = c.epsilon, .bias = c.bias}) : y;
}

/// The encoder's blocks: x [B, S, width], of which lengths [B] count, keeps its shape.
constexpr expr encoder_stack(expr x, expr lengths, const transformer_config& c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, "encoder");
  return stacked(x, c.layers, c.final_norm, c.block,
                 [&](expr y) { return encoder_block(y, padding(lengths), c.block); });
}

/// The decoder's blocks: x [B, T, width] keeps its shape; memory [B, S, width], of which lengths [B] count.
constexpr expr decoder_stack(expr x, expr memory, expr lengths, const transformer_config& c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, "decoder");
  return stacked(x, c.layers, c.final_norm, c.block,
                 [&](expr y) { return decoder_block(y, memory, padding(lengths), c.block); });
}

/// The encoder: [B, S, width] for each of the source's tokens [B, S], the first lengths [B] of which count.
constexpr expr transformer_encoder(expr source, expr lengths, const transformer_config& c,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const expr x = embedded<"src">(source, c.source_vocab, c.block.width, c.embedding, at);
  return encoder_stack(dropout(x, c.block.dropout), lengths, c, at);
}

/// The decoder: tokens [B, T] written so far and memory [B, S, width], of which lengths [B] count -> [B, T,
/// width].
constexpr expr transformer_decoder(expr target, expr memory, expr lengths, const transformer_config& c,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const expr x = embedded<"tgt">(target, c.target_vocab, c.block.width, c.embedding, at);
  return decoder_stack(dropout(x, c.block.dropout), memory, lengths, c, at);
}

/// The scores of the next token at each position: [B, T, width] -> [B, T, vocab].
constexpr expr transformer_generator(expr x, int vocab, const transformer_block_config& c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  return linear(x, "generator", vocab, {.bias = c.bias}, at);
}

/// How torch.nn.TransformerEncoderLayer and TransformerDecoderLayer name the parameters of one block alone.
constexpr auto encoder_block_names(int width) { return fused_projection_names<"self_attn.">(width); }
constexpr auto decoder_block_names(int width) {
  return naming::together(fused_projection_names<"self_attn.">(width),
                          fused_projection_names<"multihead_attn.">(width));
}

/// The same for the whole model, whose stacks may stand below "transformer.".
template <transformer_config c>
inline constexpr auto transformer_names =
    naming::together(std::array{name_rule{"", "transformer.", naming::optional_prefix}},
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
      const expr x = transformer_decoder(target, memory, lengths, c);
      constexpr transformer_block_config block = c.block; // of c itself clang 19 passes another part
      g.output("logits", transformer_generator(x, c.target_vocab, block));
    },
    transformer_names<c>);

/// The same inputs and targets [B, T] of int32, 0 ignored -> the mean negative log likelihood of a word, in
/// nats, with the targets smoothed (section 5.4 has 0.1).
template <transformer_config c, double smoothing = 0.0>
inline constexpr auto transformer_loss = model(
    "transformer_loss",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr x = transformer_decoder(target, transformer_encoder(source, lengths, c), lengths, c);
      constexpr transformer_block_config block = c.block; // of c itself clang 19 passes another part
      g.output("loss",
               cross_entropy(transformer_generator(x, c.target_vocab, block),
                             g.input<i32>("targets", {"B", "T"}), {.ignore = 0, .smoothing = smoothing}));
    },
    transformer_names<c>);

/// The decoder alone: a stack of blocks that see no later position.
struct transformer_language_model_config {
  int layers;
  transformer_block_config block;
  int vocab;
  token_embedding_config embedding = {};
  bool final_norm = true;
};

/// Scores of the next token: tokens [B, T] of int32 -> [B, T, vocab].
constexpr expr transformer_language_model_logits(expr tokens, const transformer_language_model_config& c,
                                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr read = embedded<"token">(tokens, c.vocab, c.block.width, c.embedding);
  const expr x = stacked(dropout(read, c.block.dropout), c.layers, c.final_norm, c.block,
                         [&](expr y) { return encoder_block(y, causal, c.block); });
  return transformer_generator(x, c.vocab, c.block);
}

/// How a PyTorch module with token_embedding, a torch.nn.TransformerEncoder below "encoder." and generator
/// names the parameters.
template <transformer_language_model_config c>
inline constexpr auto transformer_language_model_names =
    naming::together(std::array{name_rule{"", "encoder.", naming::optional_prefix}},
                     fused_projection_names<"layers.*.self_attn.">(c.block.width));

/// tokens [B, T] of int32 -> logits [B, T, vocab].
template <transformer_language_model_config c>
inline constexpr auto transformer_language_model = model(
    "transformer_language_model",
    [](graph& g) {
      g.output("logits", transformer_language_model_logits(g.input<i32>("tokens", {"B", "T"}), c));
    },
    transformer_language_model_names<c>);

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats.
template <transformer_language_model_config c>
inline constexpr auto transformer_language_model_loss = model(
    "transformer_language_model_loss",
    [](graph& g) {
      const expr logits = transformer_language_model_logits(g.input<i32>("tokens", {"B", "T"}), c);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    transformer_language_model_names<c>);

} // namespace fovea::models
