#pragma once

// Moonshine: speech as text, from the waveform itself, of any length (Jeffries et al. 2024). Transformers with their
// norms first and rotary positions, whose encoder reads sound through three convolutions. Loads Hugging Face checkpoints
// of MoonshineForConditionalGeneration unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct moonshine_config {
  int layers; // of the encoder, and of the decoder
  int heads, width, inner;
  int rotary = 32; // features of a head that turn
  int vocab = 32768;
};

/// UsefulSensors/moonshine-tiny, 27 million parameters, and -base, 61: English.
inline constexpr moonshine_config moonshine_tiny{.layers = 6, .heads = 8, .width = 288, .inner = 1152};
inline constexpr moonshine_config moonshine_base{.layers = 8, .heads = 8, .width = 416, .inner = 1664};

constexpr expr moonshine_norm(expr x, const char* name) { return layer_norm(x, name, {.bias = false}); }

/// Attention of x [B, T, width] to memory [B, S, width]; to itself by rotary positions.
constexpr expr moonshine_attention(expr x, expr memory, const char* name, bool rotary,
                                   fovea::attention_mask mask, moonshine_config c,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const scope inside(x, name);
  const auto turned = [&](expr y) {
    return rotary ? rope(y, {.heads = c.heads, .pairing = neighbours, .width = c.rotary}) : y;
  };
  const expr q = linear(x, "q_proj", c.width, {.bias = false}),
             k = linear(memory, "k_proj", c.width, {.bias = false}),
             v = linear(memory, "v_proj", c.width, {.bias = false});
  return linear(attention(turned(q), turned(k), v, {.heads = c.heads, .mask = mask}), "o_proj", c.width,
                {.bias = false});
}

/// One encoder block: attention, then a feed-forward layer, each normalised before and added to its input. x
/// [B, S, width] keeps its shape.
constexpr expr moonshine_encoder_block(expr x, moonshine_config c,
                                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = moonshine_norm(x, "input_layernorm");
  x = x + moonshine_attention(h, h, "self_attn", true, {}, c);
  const expr y = moonshine_norm(x, "post_attention_layernorm");
  const scope inside(x, "mlp");
  return x + linear(gelu(linear(y, "fc1", c.inner)), "fc2", c.width);
}

/// One decoder block: causal attention, attention to memory [B, S, width], then a gated feed-forward layer. x
/// [B, T, width] keeps its shape.
constexpr expr moonshine_decoder_block(expr x, expr memory, moonshine_config c,
                                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = moonshine_norm(x, "input_layernorm");
  x = x + moonshine_attention(h, h, "self_attn", true, causal, c);
  x = x + moonshine_attention(moonshine_norm(x, "post_attention_layernorm"), memory, "encoder_attn", false,
                              {}, c);
  const expr y = moonshine_norm(x, "final_layernorm");
  const scope inside(x, "mlp");
  const auto [up, gate] = split<2>(linear(y, "fc1", 2 * c.inner));
  return x + linear(silu(gate) * up, "fc2", c.width);
}

/// What the encoder's blocks read: sound [B, N], 16,000 samples a second within about -1 and 1, at least 895 of them ->
/// [B, S, width], a vector for each 384 samples (section 3.1).
constexpr expr moonshine_frames(expr sound, moonshine_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(sound, at);
  const scope inside(sound, "encoder");
  expr x = tanh(conv1d(unsqueeze(sound, 2), "conv1", c.width, 127, {.stride = 64, .bias = false}));
  x = group_norm(x, "groupnorm", 1);
  x = gelu(conv1d(x, "conv2", 2 * c.width, 7, {.stride = 3}));
  return gelu(conv1d(x, "conv3", c.width, 3, {.stride = 2}));
}

/// The encoder: sound [B, N] -> memory [B, S, width].
constexpr expr moonshine_encoder(expr sound, moonshine_config c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(sound, at);
  const expr x = moonshine_frames(sound, c);
  const scope inside(sound, "encoder");
  return moonshine_norm(repeat("layers", c.layers, x, [&](expr y) { return moonshine_encoder_block(y, c); }),
                        "layer_norm");
}

/// The decoder: tokens [B, T] written so far and memory [B, S, width] -> [B, T, width].
constexpr expr moonshine_decoder(expr words, expr target, expr memory, moonshine_config c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  const scope inside(target, "decoder");
  return moonshine_norm(repeat("layers", c.layers, gather(words, target),
                               [&](expr y) { return moonshine_decoder_block(y, memory, c); }),
                        "norm");
}

/// The table of token vectors, [vocab, width], which also scores the tokens at the end.
constexpr expr moonshine_words(expr tokens, moonshine_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// How Hugging Face names the parameters.
inline constexpr auto moonshine_names = std::to_array<name_rule>({
    {"", "model.", naming::optional_prefix},
    {"words", "decoder.embed_tokens.weight"},
    {"words", "proj_out.weight", naming::tied},
});

/// sound [B, N] and decoder_ids [B, T] of int32 -> memory [B, S, width] and logits [B, T, vocab].
template <moonshine_config c>
inline constexpr auto moonshine = model(
    "moonshine",
    [](graph& g) {
      const expr sound = g.input<f32>("sound", {"B", "N"}), target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = moonshine_words(target, c), memory = moonshine_encoder(sound, c);
      g.output("memory", memory);
      g.output("logits", matmul(moonshine_decoder(words, target, memory, c), transpose(words)));
    },
    moonshine_names);

/// The same inputs and targets [B, T] of int32, -100 ignored -> the mean negative log likelihood of a token, in nats.
template <moonshine_config c>
inline constexpr auto moonshine_loss = model(
    "moonshine_loss",
    [](graph& g) {
      const expr sound = g.input<f32>("sound", {"B", "N"}), target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = moonshine_words(target, c), memory = moonshine_encoder(sound, c);
      const expr logits = matmul(moonshine_decoder(words, target, memory, c), transpose(words));
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    moonshine_names);

} // namespace fovea::models
