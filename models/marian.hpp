#pragma once

// Marian's Transformer, as OPUS-MT's translators are (Junczys-Dowmunt et al. 2018; Tiedemann and Thottingal 2020): one
// table of token vectors for both stacks and the scores, sinusoidal positions, and SiLU. Loads Hugging Face checkpoints
// of MarianMTModel unchanged.

#include <fovea/models/bart.hpp>

namespace fovea::models {

struct marian_config {
  int layers; // of the encoder, and of the decoder
  transformer_block_config block;
  int vocab;
};

/// Helsinki-NLP/opus-mt-en-de: 74 million parameters.
inline constexpr marian_config opus_mt_en_de{
    .layers = 6,
    .block = {.heads = 8, .width = 512, .inner = 2048, .activation = activation::silu},
    .vocab = 58101};

/// Vectors of tokens [B, T], times sqrt(width), and of their positions, all sines before all cosines: [B, T, width].
constexpr expr marian_embeddings(expr words, expr tokens, marian_config c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const int width = c.block.width;
  const dim length = tokens.size(1);
  const expr pairs = reshape(sinusoidal_positions(tokens, {.width = width}), {length, width / 2, 2});
  const expr positions = reshape(permute(pairs, {0, 2, 1}), {length, width});
  return dropout(gather(words, tokens) * sqrt(constant(words, width)) + positions, c.block.dropout);
}

/// The encoder: [B, S, width] for each of the source's tokens [B, S], the first lengths [B] of which count.
constexpr expr marian_encoder(expr words, expr source, expr lengths, marian_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  return encoder_stack(marian_embeddings(words, source, c), lengths, bart_stacks(c.layers, c.block, c.vocab));
}

/// The decoder: tokens [B, T] written so far and memory [B, S, width], of which lengths [B] count -> [B, T, width].
constexpr expr marian_decoder(expr words, expr target, expr memory, expr lengths, marian_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  return decoder_stack(marian_embeddings(words, target, c), memory, lengths,
                       bart_stacks(c.layers, c.block, c.vocab));
}

/// How Hugging Face names the parameters; the tables of positions are no weights.
inline constexpr auto marian_names = naming::together(
    bart_block_names, std::to_array<name_rule>({{"", "encoder.embed_positions.weight", naming::ignored},
                                                {"", "decoder.embed_positions.weight", naming::ignored}}));

/// source_ids [B, S], source_lengths [B] and decoder_ids [B, T] of int32 -> memory [B, S, width] and logits
/// [B, T, vocab]. The decoder begins with the token that pads texts.
template <marian_config c>
inline constexpr auto marian = model(
    "marian",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(source, c.vocab, c.block.width),
                 memory = marian_encoder(words, source, lengths, c);
      g.output("memory", memory);
      g.output("logits", bart_scores(marian_decoder(words, target, memory, lengths, c), words));
    },
    marian_names);

/// The same inputs and targets [B, T] of int32, -100 ignored -> the mean negative log likelihood of a token,
/// in nats.
template <marian_config c>
inline constexpr auto marian_loss = model(
    "marian_loss",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(source, c.vocab, c.block.width),
                 memory = marian_encoder(words, source, lengths, c);
      const expr logits = bart_scores(marian_decoder(words, target, memory, lengths, c), words);
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    marian_names);

} // namespace fovea::models
