#pragma once

// DistilBERT: BERT's blocks, half as many, without types of tokens (Sanh et al. 2019). Loads Hugging Face checkpoints
// of DistilBertModel, DistilBertForMaskedLM and DistilBertForSequenceClassification unchanged.

#include <fovea/models/bert.hpp>

namespace fovea::models {

/// distilbert/distilbert-base-uncased: 66 million parameters.
inline constexpr bert_config distilbert_base{
    .layers = 6, .heads = 12, .width = 768, .inner = 3072, .vocab = 30522, .context = 512};

/// The sum of token and position vectors, normalised: tokens [B, T] of int32 -> [B, T, width].
constexpr expr distilbert_embeddings(expr words, expr tokens, bert_config c,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x = gather(words, tokens) +
                 learned_positions(tokens, "positions", {.context = c.context, .width = c.width});
  return dropout(layer_norm(x, "embed_norm", {.epsilon = c.epsilon}), c.dropout);
}

/// The encoder: [B, T, width] for each token.
constexpr expr distilbert_encoder(expr words, expr tokens, expr lengths, bert_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return repeat("layer", c.layers, distilbert_embeddings(words, tokens, c),
                [&](expr x) { return bert_block(x, padding(lengths), c); });
}

/// How Hugging Face names the parameters. Heads that a model leaves out are skipped.
inline constexpr auto distilbert_names = std::to_array<name_rule>({
    {"", "distilbert.", naming::optional_prefix},
    {"words", "embeddings.word_embeddings.weight"},
    {"words", "vocab_projector.weight", naming::tied},
    {"positions.weight", "embeddings.position_embeddings.weight"},
    {"embed_norm.weight", "embeddings.LayerNorm.weight"},
    {"embed_norm.bias", "embeddings.LayerNorm.bias"},
    {"", "embeddings.position_ids", naming::ignored},
    {"layer.*.attn.q.weight", "transformer.layer.*.attention.q_lin.weight"},
    {"layer.*.attn.q.bias", "transformer.layer.*.attention.q_lin.bias"},
    {"layer.*.attn.k.weight", "transformer.layer.*.attention.k_lin.weight"},
    {"layer.*.attn.k.bias", "transformer.layer.*.attention.k_lin.bias"},
    {"layer.*.attn.v.weight", "transformer.layer.*.attention.v_lin.weight"},
    {"layer.*.attn.v.bias", "transformer.layer.*.attention.v_lin.bias"},
    {"layer.*.attn.proj.weight", "transformer.layer.*.attention.out_lin.weight"},
    {"layer.*.attn.proj.bias", "transformer.layer.*.attention.out_lin.bias"},
    {"layer.*.attn.norm.weight", "transformer.layer.*.sa_layer_norm.weight"},
    {"layer.*.attn.norm.bias", "transformer.layer.*.sa_layer_norm.bias"},
    {"layer.*.mlp.up.weight", "transformer.layer.*.ffn.lin1.weight"},
    {"layer.*.mlp.up.bias", "transformer.layer.*.ffn.lin1.bias"},
    {"layer.*.mlp.down.weight", "transformer.layer.*.ffn.lin2.weight"},
    {"layer.*.mlp.down.bias", "transformer.layer.*.ffn.lin2.bias"},
    {"layer.*.mlp.norm.weight", "transformer.layer.*.output_layer_norm.weight"},
    {"layer.*.mlp.norm.bias", "transformer.layer.*.output_layer_norm.bias"},
    {"predict.transform.weight", "vocab_transform.weight"},
    {"predict.transform.bias", "vocab_transform.bias"},
    {"predict.norm.weight", "vocab_layer_norm.weight"},
    {"predict.norm.bias", "vocab_layer_norm.bias"},
    {"predict.bias", "vocab_projector.bias"},
    {"pooler.weight", "pre_classifier.weight"},
    {"pooler.bias", "pre_classifier.bias"},
    {"", "vocab_transform.**", naming::ignored},
    {"", "vocab_layer_norm.**", naming::ignored},
    {"", "vocab_projector.**", naming::ignored},
    {"", "pre_classifier.**", naming::ignored},
    {"", "classifier.**", naming::ignored},
});

// The models: tokens [B, T] and lengths [B] of int32.

/// -> hidden [B, T, width].
template <bert_config c>
inline constexpr auto distilbert = model(
    "distilbert",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      g.output("hidden", distilbert_encoder(bert_words(tokens, c), tokens, lengths, c));
    },
    distilbert_names);

/// -> logits [B, classes], from the first token. DistilBertForSequenceClassification.
template <bert_config c, int classes>
inline constexpr auto distilbert_classifier = model(
    "distilbert_classifier",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr x = distilbert_encoder(bert_words(tokens, c), tokens, lengths, c);
      const expr first = reshape(slice(x, axis(1), 0, 1), {x.size(0), c.width});
      g.output("logits", linear(relu(linear(first, "pooler", c.width)), "classifier", classes));
    },
    distilbert_names);

/// -> logits [B, T, vocab] for the token at each position, hidden or not. DistilBertForMaskedLM.
template <bert_config c>
inline constexpr auto distilbert_masked_language_model = model(
    "distilbert_masked_language_model",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = bert_words(tokens, c);
      g.output("logits", bert_token_scores(distilbert_encoder(words, tokens, lengths, c), words, c));
    },
    distilbert_names);

/// And targets [B, T], -100 where the token is not hidden -> loss, the mean negative log likelihood of the
/// hidden tokens, in nats.
template <bert_config c>
inline constexpr auto distilbert_masked_language_model_loss = model(
    "distilbert_masked_language_model_loss",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = bert_words(tokens, c), x = distilbert_encoder(words, tokens, lengths, c);
      g.output("loss", cross_entropy(bert_token_scores(x, words, c), g.input<i32>("targets", {"B", "T"})));
    },
    distilbert_names);

} // namespace fovea::models
