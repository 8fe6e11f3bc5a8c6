#pragma once

// Whisper: speech of many languages as text (Radford et al. 2023). The Transformer with its norms first, whose encoder
// reads a log-mel spectrogram of 30 seconds through two convolutions. Loads Hugging Face checkpoints of
// WhisperForConditionalGeneration unchanged.

#include <fovea/models/bart.hpp>

namespace fovea::models {

struct whisper_config {
  int layers, decoder_layers;
  transformer_block_config block;
  int vocab = 51865;
  int mels = 80;
  int frames = 3000; // of the spectrogram, 100 a second
  int context = 448; // the longest text, in tokens
};

/// What a block is made of, but for its size.
constexpr transformer_block_config whisper_block(int heads, int width, int inner) {
  return {.heads = heads,
          .width = width,
          .inner = inner,
          .norm_first = true,
          .activation = activation::gelu,
          .key_bias = false};
}

/// openai/whisper-tiny, 38 million parameters, -base, 73, and -small, 242.
inline constexpr whisper_config whisper_tiny{
    .layers = 4, .decoder_layers = 4, .block = whisper_block(6, 384, 1536)};
inline constexpr whisper_config whisper_base{
    .layers = 6, .decoder_layers = 6, .block = whisper_block(8, 512, 2048)};
inline constexpr whisper_config whisper_small{
    .layers = 12, .decoder_layers = 12, .block = whisper_block(12, 768, 3072)};

/// openai/whisper-large-v3-turbo: 809 million parameters, few of them in the decoder.
inline constexpr whisper_config whisper_turbo{
    .layers = 32, .decoder_layers = 4, .block = whisper_block(20, 1280, 5120), .vocab = 51866, .mels = 128};

/// What the encoder's blocks read: two convolutions, of which the second keeps every other frame, and positions, which
/// are not trained. features [B, frames, mels], log-mel energies within about -1 and 1 -> [B, frames / 2, width].
constexpr expr whisper_frames(expr features, whisper_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(features, at);
  const scope inside(features, "encoder");
  const int width = c.block.width;
  const expr fine = gelu(conv1d(features, "conv1", width, 3, {.padding = 1}));
  const expr coarse = gelu(conv1d(fine, "conv2", width, 3, {.stride = 2, .padding = 1}));
  return dropout(coarse + stop_gradient(parameter(features, "positions.weight", {c.frames / 2, width})),
                 c.block.dropout);
}

/// The encoder: features [B, frames, mels] -> memory [B, frames / 2, width].
constexpr expr whisper_encoder(expr features, whisper_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(features, at);
  const expr x = whisper_frames(features, c);
  const scope inside(features, "encoder");
  return stacked(x, c.layers, true, c.block, [&](expr y) { return encoder_block(y, {}, c.block); });
}

/// Vectors of tokens [B, T] and of their positions: [B, T, width].
constexpr expr whisper_embeddings(expr words, expr tokens, whisper_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const scope inside(tokens, "decoder");
  return dropout(gather(words, tokens) +
                     learned_positions(tokens, "positions", {.context = c.context, .width = c.block.width}),
                 c.block.dropout);
}

/// The decoder: tokens [B, T] written so far and memory [B, S, width] -> [B, T, width].
constexpr expr whisper_decoder(expr words, expr target, expr memory, whisper_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  const expr x = whisper_embeddings(words, target, c);
  const scope inside(target, "decoder");
  return stacked(x, c.decoder_layers, true, c.block,
                 [&](expr y) { return decoder_block(y, memory, {}, c.block); });
}

/// How Hugging Face names the parameters.
inline constexpr auto whisper_names =
    naming::together(bart_block_names, std::to_array<name_rule>({
                                           {"words", "decoder.embed_tokens.weight"},
                                           {"words", "proj_out.weight", naming::tied},
                                           {"encoder.positions.weight", "encoder.embed_positions.weight"},
                                           {"encoder.norm.weight", "encoder.layer_norm.weight"},
                                           {"encoder.norm.bias", "encoder.layer_norm.bias"},
                                           {"decoder.positions.weight", "decoder.embed_positions.weight"},
                                           {"decoder.norm.weight", "decoder.layer_norm.weight"},
                                           {"decoder.norm.bias", "decoder.layer_norm.bias"},
                                       }));

/// features [B, frames, mels] and decoder_ids [B, T] of int32 -> memory [B, frames / 2, width] and logits [B, T,
/// vocab].
template <whisper_config c>
inline constexpr auto whisper = model(
    "whisper",
    [](graph& g) {
      const expr features = g.input<f32>("features", {"B", c.frames, c.mels}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(target, c.vocab, c.block.width), memory = whisper_encoder(features, c);
      g.output("memory", memory);
      g.output("logits", matmul(whisper_decoder(words, target, memory, c), transpose(words)));
    },
    whisper_names);

/// The same inputs and targets [B, T] of int32, -100 ignored -> the mean negative log likelihood of a token, in nats.
template <whisper_config c>
inline constexpr auto whisper_loss = model(
    "whisper_loss",
    [](graph& g) {
      const expr features = g.input<f32>("features", {"B", c.frames, c.mels}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(target, c.vocab, c.block.width), memory = whisper_encoder(features, c);
      const expr logits = matmul(whisper_decoder(words, target, memory, c), transpose(words));
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    whisper_names);

} // namespace fovea::models
