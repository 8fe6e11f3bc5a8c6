#pragma once

// M2M-100 and NLLB: translators between a hundred languages and more, each text with its language's token first (Fan et
// al. 2021; NLLB Team 2022). The Transformer with its norms first, one table of token vectors for both stacks and the
// scores, and sinusoidal positions. Loads Hugging Face checkpoints of M2M100ForConditionalGeneration unchanged.

#include <fovea/models/bart.hpp>

namespace fovea::models {

struct m2m100_config {
  int layers; // of the encoder, and of the decoder
  transformer_block_config block;
  int vocab;
  int padding = 1; // the token that fills texts up
};

/// facebook/m2m100_418M: 484 million parameters, a hundred languages.
inline constexpr m2m100_config m2m100_418m{
    .layers = 12, .block = {.heads = 16, .width = 1024, .inner = 4096, .norm_first = true}, .vocab = 128112};

/// facebook/nllb-200-distilled-600M: 615 million parameters, two hundred languages.
inline constexpr m2m100_config nllb_600m{
    .layers = 12, .block = {.heads = 16, .width = 1024, .inner = 4096, .norm_first = true}, .vocab = 256206};

/// Sines, then cosines, of position / 10000^(i / (width / 2 - 1)), the first position being `first`: [T, width] for x,
/// ids [B, T] or features [B, T, any width].
constexpr expr sines_then_cosines(expr x, int width, int first = 0) {
  constexpr double log_of_base = 9.210340371976184;
  const int half = width / 2;
  const expr rates = exp(to_float(range(x, half)) * (-log_of_base / (half - 1)));
  const expr angles = unsqueeze(to_float(range(x, x.size(1)) + first), 1) * rates;
  return concat(axis(-1), sin(angles), cos(angles));
}

/// Vectors of tokens [B, T], times sqrt(width), and of their positions, of which the first is 2 and padding has none:
/// [B, T, width]. Padding stands behind a text.
constexpr expr m2m100_embeddings(expr words, expr tokens, m2m100_config c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const int width = c.block.width;
  const expr positions = where(unsqueeze(tokens != c.padding, 2), sines_then_cosines(tokens, width, 2), 0.0);
  return dropout(gather(words, tokens) * sqrt(constant(words, width)) + positions, c.block.dropout);
}

/// Both stacks as the Transformer has them, with a norm at their end.
constexpr transformer_config m2m100_stacks(m2m100_config c) {
  return {.layers = c.layers, .block = c.block, .source_vocab = c.vocab, .target_vocab = c.vocab};
}

/// The encoder: [B, S, width] for each of the source's tokens [B, S], the first lengths [B] of which count.
constexpr expr m2m100_encoder(expr words, expr source, expr lengths, m2m100_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(source, at);
  return encoder_stack(m2m100_embeddings(words, source, c), lengths, m2m100_stacks(c));
}

/// The decoder: tokens [B, T] written so far and memory [B, S, width], of which lengths [B] count -> [B, T, width].
constexpr expr m2m100_decoder(expr words, expr target, expr memory, expr lengths, m2m100_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(target, at);
  return decoder_stack(m2m100_embeddings(words, target, c), memory, lengths, m2m100_stacks(c));
}

/// How Hugging Face names the parameters; the first files hold the tables of positions, which are no weights.
inline constexpr auto m2m100_names =
    naming::together(bart_block_names, std::to_array<name_rule>({
                                           {"encoder.norm.weight", "encoder.layer_norm.weight"},
                                           {"encoder.norm.bias", "encoder.layer_norm.bias"},
                                           {"decoder.norm.weight", "decoder.layer_norm.weight"},
                                           {"decoder.norm.bias", "decoder.layer_norm.bias"},
                                           {"", "encoder.embed_positions.weights", naming::ignored},
                                           {"", "decoder.embed_positions.weights", naming::ignored},
                                       }));

/// source_ids [B, S], source_lengths [B] and decoder_ids [B, T] of int32 -> memory [B, S, width] and logits
/// [B, T, vocab]. The decoder begins with the token that ends texts, then that of the language to write.
template <m2m100_config c>
inline constexpr auto m2m100 = model(
    "m2m100",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(source, c.vocab, c.block.width),
                 memory = m2m100_encoder(words, source, lengths, c);
      g.output("memory", memory);
      g.output("logits", matmul(m2m100_decoder(words, target, memory, lengths, c), transpose(words)));
    },
    m2m100_names);

/// The same inputs and targets [B, T] of int32, -100 ignored -> the mean negative log likelihood of a token,
/// in nats.
template <m2m100_config c>
inline constexpr auto m2m100_loss = model(
    "m2m100_loss",
    [](graph& g) {
      const expr source = g.input<i32>("source_ids", {"B", "S"}),
                 lengths = g.input<i32>("source_lengths", {"B"}),
                 target = g.input<i32>("decoder_ids", {"B", "T"});
      const expr words = bart_words(source, c.vocab, c.block.width),
                 memory = m2m100_encoder(words, source, lengths, c);
      const expr logits = matmul(m2m100_decoder(words, target, memory, lengths, c), transpose(words));
      g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
    },
    m2m100_names);

} // namespace fovea::models
