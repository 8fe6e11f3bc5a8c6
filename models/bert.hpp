#pragma once

// BERT: a bidirectional Transformer encoder with post-norm blocks (Devlin et al. 2019), its heads, and the
// sentence encoder on top of it (Reimers and Gurevych 2019). Loads Hugging Face checkpoints of BertModel and
// its kin, and llama.cpp's of the encoder alone (GGUF), unchanged.

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct bert_config {
  int layers, heads, width, inner, vocab, context;
  int types = 2;
  double epsilon = 1e-12;
  double dropout = 0; // of attention's weights, and of what each layer adds
};

/// sentence-transformers/all-MiniLM-L6-v2: 22.7 million parameters, sentences to 384 numbers.
inline constexpr bert_config minilm{
    .layers = 6, .heads = 12, .width = 384, .inner = 1536, .vocab = 30522, .context = 512};

/// What of a block follows its attention: a map of what it gathered, then a feed-forward layer, each added to its input
/// and normalised. x and gathered [B, T, width] -> the same.
constexpr expr bert_block_of(expr x, expr gathered, bert_config c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  x = layer_norm(dropout(linear(gathered, "attn.proj", c.width), c.dropout) + x, "attn.norm",
                 {.epsilon = c.epsilon});
  const expr h = gelu(linear(x, "mlp.up", c.inner));
  return layer_norm(dropout(linear(h, "mlp.down", c.width), c.dropout) + x, "mlp.norm",
                    {.epsilon = c.epsilon});
}

/// One block: attention, then a feed-forward layer, each added to its input and normalised (section 3, after
/// Vaswani et al. 2017). x [B, T, width] keeps its shape.
constexpr expr bert_block(expr x, fovea::attention_mask mask, bert_config c,
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr a =
      attention(linear(x, "attn.q", c.width), linear(x, "attn.k", c.width), linear(x, "attn.v", c.width),
                {.heads = c.heads, .mask = mask, .dropout = c.dropout});
  return bert_block_of(x, a, c);
}

/// The sum of token, position and type vectors, normalised: tokens and types [B, T] of int32 -> [B, T,
/// width]. `words` is the token table [vocab, width].
constexpr expr bert_embeddings(expr words, expr tokens, expr types, bert_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x = gather(words, tokens) + embedding(types, "types", c.types, c.width) +
                 learned_positions(tokens, "positions", {.context = c.context, .width = c.width});
  return dropout(layer_norm(x, "embed_norm", {.epsilon = c.epsilon}), c.dropout);
}

/// The encoder: [B, T, width] for each token. Makes the token table "words".
constexpr expr bert_encoder(expr words, expr tokens, expr types, fovea::attention_mask mask, bert_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return repeat("layer", c.layers, bert_embeddings(words, tokens, types, c),
                [&](expr x) { return bert_block(x, mask, c); });
}

/// The table of token vectors, [vocab, width].
constexpr expr bert_words(expr tokens, bert_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// tanh of a linear map of the first token's vector: [B, T, width] -> [B, width].
constexpr expr bert_pooler(expr x, bert_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return tanh(linear(reshape(slice(x, axis(1), 0, 1), {x.size(0), c.width}), "pooler", c.width));
}

/// Scores of every token of the vocabulary at each position, through the token table once more: [B, T,
/// vocab].
constexpr expr bert_token_scores(expr x, expr words, bert_config c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr h =
      layer_norm(gelu(linear(x, "predict.transform", c.width)), "predict.norm", {.epsilon = c.epsilon});
  return matmul(h, transpose(words)) + parameter(x, "predict.bias", {c.vocab}, init::zeros());
}

/// Scores of each of `classes` for the whole text, from the pooled vector: [B, T, width] -> [B, classes].
constexpr expr bert_class_scores(expr x, int classes, bert_config c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return linear(bert_pooler(x, c), "classifier", classes);
}

/// The mean of x [B, T, width] over the first lengths [B] positions, divided by its Euclidean norm: [B,
/// width].
constexpr expr mean_pooled(expr x, expr lengths) {
  const dim length = x.size(1);
  const expr inside = range(x, length) < unsqueeze(lengths, 1);
  const expr total = sum(x * unsqueeze(to_float(inside), 2), axis(1));
  const expr mean = total / unsqueeze(to_float(max(lengths, 1)), 1);
  return mean / max(sqrt(sum(mean * mean, axis(-1), {.keep = true})), 1e-12);
}

/// How Hugging Face names the parameters of blocks like BERT's. The first checkpoints, bert-base-uncased among them,
/// call a norm's weight and bias gamma and beta.
inline constexpr auto bert_block_names = std::to_array<name_rule>({
    {"layer.*.attn.q.weight", "encoder.layer.*.attention.self.query.weight"},
    {"layer.*.attn.q.bias", "encoder.layer.*.attention.self.query.bias"},
    {"layer.*.attn.k.weight", "encoder.layer.*.attention.self.key.weight"},
    {"layer.*.attn.k.bias", "encoder.layer.*.attention.self.key.bias"},
    {"layer.*.attn.v.weight", "encoder.layer.*.attention.self.value.weight"},
    {"layer.*.attn.v.bias", "encoder.layer.*.attention.self.value.bias"},
    {"layer.*.attn.proj.weight", "encoder.layer.*.attention.output.dense.weight"},
    {"layer.*.attn.proj.bias", "encoder.layer.*.attention.output.dense.bias"},
    {"layer.*.attn.norm.weight", "encoder.layer.*.attention.output.LayerNorm.weight"},
    {"layer.*.attn.norm.bias", "encoder.layer.*.attention.output.LayerNorm.bias"},
    {"layer.*.attn.norm.weight", "encoder.layer.*.attention.output.LayerNorm.gamma"},
    {"layer.*.attn.norm.bias", "encoder.layer.*.attention.output.LayerNorm.beta"},
    {"layer.*.mlp.up.weight", "encoder.layer.*.intermediate.dense.weight"},
    {"layer.*.mlp.up.bias", "encoder.layer.*.intermediate.dense.bias"},
    {"layer.*.mlp.down.weight", "encoder.layer.*.output.dense.weight"},
    {"layer.*.mlp.down.bias", "encoder.layer.*.output.dense.bias"},
    {"layer.*.mlp.norm.weight", "encoder.layer.*.output.LayerNorm.weight"},
    {"layer.*.mlp.norm.bias", "encoder.layer.*.output.LayerNorm.bias"},
    {"layer.*.mlp.norm.weight", "encoder.layer.*.output.LayerNorm.gamma"},
    {"layer.*.mlp.norm.bias", "encoder.layer.*.output.LayerNorm.beta"},
});

/// How Hugging Face names the parameters of bert_encoder and its heads, and llama.cpp (GGUF) those of the
/// encoder. Heads that a model leaves out are skipped.
inline constexpr auto bert_names =
    naming::together(std::to_array<name_rule>({
                         {"", "bert.", naming::optional_prefix},
                         {"words", "embeddings.word_embeddings.weight"},
                         {"words", "cls.predictions.decoder.weight", naming::tied},
                         {"positions.weight", "embeddings.position_embeddings.weight"},
                         {"types.weight", "embeddings.token_type_embeddings.weight"},
                         {"embed_norm.weight", "embeddings.LayerNorm.weight"},
                         {"embed_norm.bias", "embeddings.LayerNorm.bias"},
                         {"embed_norm.weight", "embeddings.LayerNorm.gamma"},
                         {"embed_norm.bias", "embeddings.LayerNorm.beta"},
                         {"", "embeddings.position_ids", naming::ignored},
                     }),
                     bert_block_names,
                     std::to_array<name_rule>({
                         {"pooler.weight", "pooler.dense.weight"},
                         {"pooler.bias", "pooler.dense.bias"},
                         {"predict.transform.weight", "cls.predictions.transform.dense.weight"},
                         {"predict.transform.bias", "cls.predictions.transform.dense.bias"},
                         {"predict.norm.weight", "cls.predictions.transform.LayerNorm.weight"},
                         {"predict.norm.bias", "cls.predictions.transform.LayerNorm.bias"},
                         {"predict.norm.weight", "cls.predictions.transform.LayerNorm.gamma"},
                         {"predict.norm.bias", "cls.predictions.transform.LayerNorm.beta"},
                         {"predict.bias", "cls.predictions.bias"},
                         {"predict.bias", "cls.predictions.decoder.bias", naming::tied},

                         {"words", "token_embd.weight"},
                         {"positions.weight", "position_embd.weight"},
                         {"types.weight", "token_types.weight"},
                         {"embed_norm.weight", "token_embd_norm.weight"},
                         {"embed_norm.bias", "token_embd_norm.bias"},
                         {"layer.*.attn.q.weight", "blk.*.attn_q.weight"},
                         {"layer.*.attn.q.bias", "blk.*.attn_q.bias"},
                         {"layer.*.attn.k.weight", "blk.*.attn_k.weight"},
                         {"layer.*.attn.k.bias", "blk.*.attn_k.bias"},
                         {"layer.*.attn.v.weight", "blk.*.attn_v.weight"},
                         {"layer.*.attn.v.bias", "blk.*.attn_v.bias"},
                         {"layer.*.attn.proj.weight", "blk.*.attn_output.weight"},
                         {"layer.*.attn.proj.bias", "blk.*.attn_output.bias"},
                         {"layer.*.attn.norm.weight", "blk.*.attn_output_norm.weight"},
                         {"layer.*.attn.norm.bias", "blk.*.attn_output_norm.bias"},
                         {"layer.*.mlp.up.weight", "blk.*.ffn_up.weight"},
                         {"layer.*.mlp.up.bias", "blk.*.ffn_up.bias"},
                         {"layer.*.mlp.down.weight", "blk.*.ffn_down.weight"},
                         {"layer.*.mlp.down.bias", "blk.*.ffn_down.bias"},
                         {"layer.*.mlp.norm.weight", "blk.*.layer_output_norm.weight"},
                         {"layer.*.mlp.norm.bias", "blk.*.layer_output_norm.bias"},

                         {"", "pooler.**", naming::ignored},
                         {"", "cls.**", naming::ignored},
                         {"", "classifier.**", naming::ignored},
                     }));

namespace detail {

struct bert_inputs {
  expr tokens, types, lengths;
};
constexpr bert_inputs inputs_of_bert(graph& g) {
  return {g.input<i32>("tokens", {"B", "T"}), g.input<i32>("types", {"B", "T"}),
          g.input<i32>("lengths", {"B"})};
}

} // namespace detail

// The models: tokens and types [B, T] and, but for the language model, lengths [B] of int32.

/// -> hidden [B, T, width] and pooled [B, width]. BertModel.
template <bert_config c>
inline constexpr auto bert = model(
    "bert",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      const expr x = bert_encoder(bert_words(tokens, c), tokens, types, padding(lengths), c);
      g.output("hidden", x);
      g.output("pooled", bert_pooler(x, c));
    },
    bert_names);

/// -> logits [B, classes]. BertForSequenceClassification.
template <bert_config c, int classes>
inline constexpr auto bert_classifier = model(
    "bert_classifier",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      const expr x = bert_encoder(bert_words(tokens, c), tokens, types, padding(lengths), c);
      g.output("logits", bert_class_scores(x, classes, c));
    },
    bert_names);

/// And targets [B] -> loss, the mean negative log likelihood of a text's class, in nats.
template <bert_config c, int classes>
inline constexpr auto bert_classifier_loss = model(
    "bert_classifier_loss",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      const expr x = bert_encoder(bert_words(tokens, c), tokens, types, padding(lengths), c);
      g.output("loss", cross_entropy(bert_class_scores(x, classes, c), g.input<i32>("targets", {"B"})));
    },
    bert_names);

/// -> logits [B, T, vocab] for the token at each position, hidden or not. BertForMaskedLM.
template <bert_config c>
inline constexpr auto bert_masked_language_model = model(
    "bert_masked_language_model",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      const expr words = bert_words(tokens, c);
      const expr x = bert_encoder(words, tokens, types, padding(lengths), c);
      g.output("logits", bert_token_scores(x, words, c));
    },
    bert_names);

/// And targets [B, T], -100 where the token is not hidden -> loss, the mean negative log likelihood of the
/// hidden tokens, in nats.
template <bert_config c>
inline constexpr auto bert_masked_language_model_loss = model(
    "bert_masked_language_model_loss",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      const expr words = bert_words(tokens, c);
      const expr x = bert_encoder(words, tokens, types, padding(lengths), c);
      g.output("loss", cross_entropy(bert_token_scores(x, words, c), g.input<i32>("targets", {"B", "T"})));
    },
    bert_names);

/// -> logits [B, T, vocab] for the next token: BERT read from left to right. BertLMHeadModel.
template <bert_config c>
inline constexpr auto bert_language_model = model(
    "bert_language_model",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), types = g.input<i32>("types", {"B", "T"});
      const expr words = bert_words(tokens, c);
      g.output("logits", bert_token_scores(bert_encoder(words, tokens, types, causal, c), words, c));
    },
    bert_names);

/// And targets [B, T], -100 ignored -> loss, the mean negative log likelihood of a token, in nats.
template <bert_config c>
inline constexpr auto bert_language_model_loss = model(
    "bert_language_model_loss",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), types = g.input<i32>("types", {"B", "T"});
      const expr words = bert_words(tokens, c), x = bert_encoder(words, tokens, types, causal, c);
      g.output("loss", cross_entropy(bert_token_scores(x, words, c), g.input<i32>("targets", {"B", "T"})));
    },
    bert_names);

/// -> hidden [B, T, width] and maps [B, layers * heads, T, T]: how strongly each token looks at each, the
/// heads of the first layer, then of the next.
template <bert_config c>
inline constexpr auto bert_maps = model(
    "bert_maps",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      expr x = bert_embeddings(bert_words(tokens, c), tokens, types, c), maps;
      for (int i = 0; i < c.layers; ++i) {
        const scope layer(x, "layer", i);
        x = bert_block(x, padding(lengths), c);
        const expr map = last_attention_map(x);
        maps = i == 0 ? map : concat(axis(1), maps, map);
      }
      g.output("hidden", x);
      g.output("maps", maps);
    },
    bert_names);

/// -> sentence [B, width], of length 1: cosines are dot products.
template <bert_config c>
inline constexpr auto sentence_encoder = model(
    "sentence_encoder",
    [](graph& g) {
      const auto [tokens, types, lengths] = detail::inputs_of_bert(g);
      const expr x = bert_encoder(bert_words(tokens, c), tokens, types, padding(lengths), c);
      g.output("sentence", mean_pooled(x, lengths));
    },
    bert_names);

} // namespace fovea::models
