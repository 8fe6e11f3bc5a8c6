#pragma once

// ELECTRA: BERT's blocks over token vectors that may be narrower, trained to tell which tokens of a text were replaced
// (Clark et al. 2020). Loads Hugging Face checkpoints of ElectraModel and ElectraForPreTraining unchanged.

#include <fovea/models/bert.hpp>

namespace fovea::models {

struct electra_config {
  bert_config block;
  int word_width; // of the vectors of tokens, positions and types
};

/// google/electra-small-discriminator: 14 million parameters.
inline constexpr electra_config electra_small{
    .block = {.layers = 12, .heads = 4, .width = 256, .inner = 1024, .vocab = 30522, .context = 512},
    .word_width = 128};

/// google/electra-base-discriminator: 110 million parameters.
inline constexpr electra_config electra_base{
    .block = {.layers = 12, .heads = 12, .width = 768, .inner = 3072, .vocab = 30522, .context = 512},
    .word_width = 768};

/// The sum of token, position and type vectors, normalised, and brought to the width of the blocks: tokens and types
/// [B, T] of int32 -> [B, T, width].
constexpr expr electra_embeddings(expr tokens, expr types, electra_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  bert_config narrow = c.block;
  narrow.width = c.word_width;
  const expr x = bert_embeddings(bert_words(tokens, narrow), tokens, types, narrow);
  return c.word_width == c.block.width ? x : linear(x, "embed_project", c.block.width);
}

/// The encoder: [B, T, width] for each token.
constexpr expr electra_encoder(expr tokens, expr types, expr lengths, electra_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return repeat("layer", c.block.layers, electra_embeddings(tokens, types, c),
                [&](expr x) { return bert_block(x, padding(lengths), c.block); });
}

/// How likely each token was replaced, above 0 where more likely than not: [B, T, width] -> [B, T].
constexpr expr electra_scores(expr x, electra_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h = gelu(linear(x, "discriminator.dense", c.block.width));
  return reshape(linear(h, "discriminator.score", 1), {x.size(0), x.size(1)});
}

/// How Hugging Face names the parameters. The head is skipped where a model leaves it out.
inline constexpr auto electra_names =
    naming::together(std::to_array<name_rule>({
                         {"", "electra.", naming::optional_prefix},
                         {"words", "embeddings.word_embeddings.weight"},
                         {"positions.weight", "embeddings.position_embeddings.weight"},
                         {"types.weight", "embeddings.token_type_embeddings.weight"},
                         {"embed_norm.weight", "embeddings.LayerNorm.weight"},
                         {"embed_norm.bias", "embeddings.LayerNorm.bias"},
                         {"", "embeddings.position_ids", naming::ignored},
                         {"embed_project.weight", "embeddings_project.weight"},
                         {"embed_project.bias", "embeddings_project.bias"},
                     }),
                     bert_block_names,
                     std::to_array<name_rule>({
                         {"discriminator.dense.weight", "discriminator_predictions.dense.weight"},
                         {"discriminator.dense.bias", "discriminator_predictions.dense.bias"},
                         {"discriminator.score.weight", "discriminator_predictions.dense_prediction.weight"},
                         {"discriminator.score.bias", "discriminator_predictions.dense_prediction.bias"},
                         {"", "discriminator_predictions.**", naming::ignored},
                     }));

// The models: tokens and types [B, T] and lengths [B] of int32.

/// -> hidden [B, T, width].
template <electra_config c>
inline constexpr auto electra = model(
    "electra",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      g.output("hidden", electra_encoder(tokens, types, lengths, c));
    },
    electra_names);

/// -> logits [B, T]. ElectraForPreTraining.
template <electra_config c>
inline constexpr auto electra_discriminator = model(
    "electra_discriminator",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      g.output("logits", electra_scores(electra_encoder(tokens, types, lengths, c), c));
    },
    electra_names);

/// And targets [B, T], 1 where a token was replaced, else 0 -> loss, the mean binary cross-entropy of a text's
/// tokens, in nats (Clark et al. 2020, section 2).
template <electra_config c>
inline constexpr auto electra_discriminator_loss = model(
    "electra_discriminator_loss",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      const expr score = electra_scores(electra_encoder(tokens, types, lengths, c), c),
                 replaced = to_float(g.input<i32>("targets", {"B", "T"}));
      const expr inside = to_float(range(tokens, tokens.size(1)) < unsqueeze(lengths, 1));
      const auto total = [](expr x) { return sum(sum(x, axis(1)), axis(0)); };
      g.output("loss", total(inside * (softplus(score) - score * replaced)) / total(inside));
    },
    electra_names);

} // namespace fovea::models
