#pragma once

// RoBERTa and XLM-RoBERTa: BERT's blocks, whose positions count the tokens of a text alone (Liu et al. 2019; Conneau
// et al. 2020), as encoders of tokens and of sentences, as masked language models and as classifiers, rerankers
// among them. Loads Hugging Face checkpoints unchanged.

#include <fovea/models/bert.hpp>

namespace fovea::models {

/// FacebookAI/roberta-base: 125 million parameters, English.
inline constexpr bert_config roberta_base{.layers = 12,
                                          .heads = 12,
                                          .width = 768,
                                          .inner = 3072,
                                          .vocab = 50265,
                                          .context = 512,
                                          .types = 1,
                                          .epsilon = 1e-5};

/// FacebookAI/xlm-roberta-base: 278 million parameters, a hundred languages.
inline constexpr bert_config xlm_roberta_base{.layers = 12,
                                              .heads = 12,
                                              .width = 768,
                                              .inner = 3072,
                                              .vocab = 250002,
                                              .context = 512,
                                              .types = 1,
                                              .epsilon = 1e-5};

/// The vectors of positions: of a text row 2 of the table and those behind it, of what pads it row 1. tokens [B, T],
/// lengths [B] -> [B, T, width].
constexpr expr roberta_positions(expr tokens, expr lengths, bert_config c) {
  const dim length = tokens.size(1);
  const expr inside = range(tokens, length) < unsqueeze(lengths, 1);
  return embedding(where(inside, range(tokens, length) + 2, 1), "positions", c.context + 2, c.width);
}

/// The sum of token and position vectors and of that which all tokens have, normalised: tokens [B, T], lengths [B]
/// of int32 -> [B, T, width].
constexpr expr roberta_embeddings(expr words, expr tokens, expr lengths, bert_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x =
      gather(words, tokens) + roberta_positions(tokens, lengths, c) + parameter(tokens, "type", {c.width});
  return dropout(layer_norm(x, "embed_norm", {.epsilon = c.epsilon}), c.dropout);
}

/// The encoder: [B, T, width] for each token.
constexpr expr roberta_encoder(expr words, expr tokens, expr lengths, bert_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return repeat("layer", c.layers, roberta_embeddings(words, tokens, lengths, c),
                [&](expr x) { return bert_block(x, padding(lengths), c); });
}

/// How Hugging Face names the parameters. Heads that a model leaves out are skipped.
inline constexpr auto roberta_names = naming::together(
    std::to_array<name_rule>({
        {"", "roberta.", naming::optional_prefix},
        {"words", "embeddings.word_embeddings.weight"},
        {"words", "lm_head.decoder.weight"}, // the same table: files keep one of them, or both
        {"words", "lm_head.decoder.weight", naming::tied},
        {"positions.weight", "embeddings.position_embeddings.weight"},
        {"type", "embeddings.token_type_embeddings.weight", naming::squeezed},
        {"embed_norm.weight", "embeddings.LayerNorm.weight"},
        {"embed_norm.bias", "embeddings.LayerNorm.bias"},
        {"", "embeddings.position_ids", naming::ignored},
    }),
    bert_block_names,
    std::to_array<name_rule>({
        {"predict.transform.weight", "lm_head.dense.weight"},
        {"predict.transform.bias", "lm_head.dense.bias"},
        {"predict.norm.weight", "lm_head.layer_norm.weight"},
        {"predict.norm.bias", "lm_head.layer_norm.bias"},
        {"predict.bias", "lm_head.bias"},
        {"predict.bias", "lm_head.decoder.bias", naming::tied},
        {"pooler.weight", "classifier.dense.weight"},
        {"pooler.bias", "classifier.dense.bias"},
        {"classifier.weight", "classifier.out_proj.weight"},
        {"classifier.bias", "classifier.out_proj.bias"},
        {"", "pooler.**", naming::ignored},
        {"", "lm_head.**", naming::ignored},
        {"", "classifier.**", naming::ignored},
    }));

// The models: tokens [B, T] and lengths [B] of int32.

/// -> hidden [B, T, width].
template <bert_config c>
inline constexpr auto roberta = model(
    "roberta",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      g.output("hidden", roberta_encoder(bert_words(tokens, c), tokens, lengths, c));
    },
    roberta_names);

/// -> sentence [B, width], the mean of a text's tokens, of length 1: cosines are dot products.
template <bert_config c>
inline constexpr auto roberta_sentence_encoder = model(
    "roberta_sentence_encoder",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      g.output("sentence", mean_pooled(roberta_encoder(bert_words(tokens, c), tokens, lengths, c), lengths));
    },
    roberta_names);

/// -> logits [B, T, vocab] for the token at each position, hidden or not. RobertaForMaskedLM, XLMRobertaForMaskedLM.
template <bert_config c>
inline constexpr auto roberta_masked_language_model = model(
    "roberta_masked_language_model",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = bert_words(tokens, c);
      g.output("logits", bert_token_scores(roberta_encoder(words, tokens, lengths, c), words, c));
    },
    roberta_names);

/// And targets [B, T], -100 where the token is not hidden -> loss, the mean negative log likelihood of the
/// hidden tokens, in nats.
template <bert_config c>
inline constexpr auto roberta_masked_language_model_loss = model(
    "roberta_masked_language_model_loss",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = bert_words(tokens, c), x = roberta_encoder(words, tokens, lengths, c);
      g.output("loss", cross_entropy(bert_token_scores(x, words, c), g.input<i32>("targets", {"B", "T"})));
    },
    roberta_names);

/// -> logits [B, classes]: one class of a reranker, whose tokens are a question and a text.
/// RobertaForSequenceClassification, XLMRobertaForSequenceClassification.
template <bert_config c, int classes>
inline constexpr auto roberta_classifier = model(
    "roberta_classifier",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      g.output("logits",
               bert_class_scores(roberta_encoder(bert_words(tokens, c), tokens, lengths, c), classes, c));
    },
    roberta_names);

} // namespace fovea::models
