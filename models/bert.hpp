#pragma once

// BERT: a bidirectional Transformer encoder with post-norm blocks (Devlin et al. 2019), its heads, and the
// sentence encoder on top of it (Reimers and Gurevych 2019). Loads Hugging Face checkpoints of BertModel and
// its kin unchanged.

#include <fovea/dsl.hpp>

namespace fovea::models {

struct bert_config {
  int layers, heads, width, inner, vocab, context;
  int types = 2;
  double epsilon = 1e-12;
};

/// sentence-transformers/all-MiniLM-L6-v2: 22.7 million parameters, sentences to 384 numbers.
inline constexpr bert_config minilm{
    .layers = 6, .heads = 12, .width = 384, .inner = 1536, .vocab = 30522, .context = 512};

/// One block: attention, then a feed-forward layer, each added to its input and normalised (section 3, after
/// Vaswani et al. 2017). x [B, T, width] keeps its shape.
constexpr expr bert_block(expr x, fovea::mask mask, bert_config c,
                          place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr a = attention(linear(x, "attn.q", c.width), linear(x, "attn.k", c.width),
                           linear(x, "attn.v", c.width), {.heads = c.heads, .mask = mask});
  x = layer_norm(linear(a, "attn.proj", c.width) + x, "attn.norm", {.epsilon = c.epsilon});
  const expr h = gelu(linear(x, "mlp.up", c.inner));
  return layer_norm(linear(h, "mlp.down", c.width) + x, "mlp.norm", {.epsilon = c.epsilon});
}

/// The sum of token, position and type vectors, normalised: tokens and types [B, T] of int32 -> [B, T,
/// width]. `words` is the token table [vocab, width].
constexpr expr bert_embeddings(expr words, expr tokens, expr types, bert_config c,
                               place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x = gather(words, tokens) + embedding(types, "types", c.types, c.width) +
                 learned_positions(tokens, "positions", {.context = c.context, .width = c.width});
  return layer_norm(x, "embed_norm", {.epsilon = c.epsilon});
}

/// The encoder: [B, T, width] for each token. Makes the token table "words".
constexpr expr bert_encoder(expr words, expr tokens, expr types, fovea::mask mask, bert_config c,
                            place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return repeat("layer", c.layers, bert_embeddings(words, tokens, types, c),
                [&](expr x) { return bert_block(x, mask, c); });
}

constexpr expr bert_words(expr tokens, bert_config c) {
  return parameter(tokens, "words", {c.vocab, c.width}, init::normal(0.02));
}

/// tanh of a linear map of the first token's vector: [B, T, width] -> [B, width].
constexpr expr bert_pooler(expr x, bert_config c) {
  return tanh(linear(reshape(slice(x, axis(1), 0, 1), {x.size(0), c.width}), "pooler", c.width));
}

/// Scores of every token of the vocabulary at each position, through the token table once more: [B, T,
/// vocab].
constexpr expr bert_token_scores(expr x, expr words, bert_config c) {
  const expr h =
      layer_norm(gelu(linear(x, "predict.transform", c.width)), "predict.norm", {.epsilon = c.epsilon});
  return matmul(h, transpose(words)) + parameter(x, "predict.bias", {c.vocab}, init::zeros());
}

/// The mean of x [B, T, width] over the first lengths [B] positions, divided by its Euclidean norm: [B,
/// width].
constexpr expr mean_pooled(expr x, expr lengths) {
  const dim length = x.size(1);
  const expr inside = range(x, length) < unsqueeze(lengths, 1);
  const expr total = sum(x * unsqueeze(to_float(inside), 2), axis(1));
  const expr mean = total / unsqueeze(to_float(lengths), 1);
  return mean / sqrt(sum(mean * mean, axis(-1), {.keep = true}));
}

/// How Hugging Face names the parameters of bert_encoder and its heads.
inline constexpr name_rule bert_names[] = {
    {"", "bert.", optional_prefix},
    {"words", "embeddings.word_embeddings.weight"},
    {"words", "cls.predictions.decoder.weight", tied},
    {"positions.weight", "embeddings.position_embeddings.weight"},
    {"types.weight", "embeddings.token_type_embeddings.weight"},
    {"embed_norm.weight", "embeddings.LayerNorm.weight"},
    {"embed_norm.bias", "embeddings.LayerNorm.bias"},
    {"", "embeddings.position_ids", ignored},
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
    {"layer.*.mlp.up.weight", "encoder.layer.*.intermediate.dense.weight"},
    {"layer.*.mlp.up.bias", "encoder.layer.*.intermediate.dense.bias"},
    {"layer.*.mlp.down.weight", "encoder.layer.*.output.dense.weight"},
    {"layer.*.mlp.down.bias", "encoder.layer.*.output.dense.bias"},
    {"layer.*.mlp.norm.weight", "encoder.layer.*.output.LayerNorm.weight"},
    {"layer.*.mlp.norm.bias", "encoder.layer.*.output.LayerNorm.bias"},
    {"pooler.weight", "pooler.dense.weight"},
    {"pooler.bias", "pooler.dense.bias"},
    {"predict.transform.weight", "cls.predictions.transform.dense.weight"},
    {"predict.transform.bias", "cls.predictions.transform.dense.bias"},
    {"predict.norm.weight", "cls.predictions.transform.LayerNorm.weight"},
    {"predict.norm.bias", "cls.predictions.transform.LayerNorm.bias"},
    {"predict.bias", "cls.predictions.bias"},
    {"predict.bias", "cls.predictions.decoder.bias", tied},
};

/// The same for a sentence encoder, which leaves the pooler out.
inline constexpr auto sentence_encoder_names = [] {
  std::array<name_rule, std::size(bert_names) + 1> rules{};
  for (std::size_t i = 0; i < std::size(bert_names); ++i) rules[i] = bert_names[i];
  rules[std::size(bert_names)] = {"", "pooler.**", ignored};
  return rules;
}();

inline constexpr dim B{"B"}, T{"T"};

/// tokens, types [B, T] and lengths [B] of int32 -> sentence [B, width], of length 1: cosines are dot
/// products.
template <bert_config c>
inline constexpr auto sentence_encoder = model(
    "sentence_encoder",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {B, T}), types = g.input<i32>("types", {B, T}),
                 lengths = g.input<i32>("lengths", {B});
      const expr x = bert_encoder(bert_words(tokens, c), tokens, types, padding(lengths), c);
      g.output("sentence", mean_pooled(x, lengths));
    },
    sentence_encoder_names);

} // namespace fovea::models
