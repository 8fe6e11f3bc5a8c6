#pragma once

// DeBERTa of versions 2 and 3: BERT's blocks, whose scores also compare contents with how far apart they are (He et al.
// 2021; He et al. 2023), as encoders, masked language models and classifiers; version 2 has a convolution beside the first
// block. Loads Hugging Face checkpoints unchanged, of distances in buckets and one set of maps.

#include <fovea/models/bert.hpp>

namespace fovea::models {

struct deberta_config {
  int layers, heads, width, inner;
  int vocab = 128100;
  int buckets = 256; // of distances on each side
  int reach = 512;   // from here on distances share the last bucket
  double epsilon = 1e-7;
  double dropout = 0;  // of attention's weights, and of what each layer adds
  int convolution = 0; // the window of the convolution beside the first block, odd; 0: there is none

  constexpr bert_config block() const {
    return {.layers = layers,
            .heads = heads,
            .width = width,
            .inner = inner,
            .vocab = vocab,
            .context = reach,
            .epsilon = epsilon,
            .dropout = dropout};
  }
};

/// microsoft/deberta-v3-small, 141 million parameters, -base, 184, and -large, 434.
inline constexpr deberta_config deberta_v3_small{.layers = 6, .heads = 12, .width = 768, .inner = 3072};
inline constexpr deberta_config deberta_v3_base{.layers = 12, .heads = 12, .width = 768, .inner = 3072};
inline constexpr deberta_config deberta_v3_large{.layers = 24, .heads = 16, .width = 1024, .inner = 4096};

/// microsoft/deberta-v2-xlarge, 885 million parameters, and -xxlarge, 1,565.
inline constexpr deberta_config deberta_v2_xlarge{
    .layers = 24, .heads = 24, .width = 1536, .inner = 6144, .convolution = 3};
inline constexpr deberta_config deberta_v2_xxlarge{
    .layers = 48, .heads = 24, .width = 1536, .inner = 6144, .convolution = 3};

/// What all blocks compare contents with.
struct deberta_distances {
  expr vectors; // [2 buckets, width]
  expr rows; // of `vectors`, for distances from -reach to reach of a query from a key: [2 reach + 1] of int32
};

/// The first half of the buckets on each side holds one distance each; in the others distances grow by a constant factor,
/// so that the last but one ends at reach - 1. Makes distances.weight and distances.norm.
constexpr deberta_distances distances_of(expr x, deberta_config c,
                                         source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int exact = c.buckets / 2;
  const expr distance = range(x, 2 * c.reach + 1) - c.reach, far = abs(distance);
  const expr factor = log(constant(x, (c.reach - 1.0) / exact)) / (exact - 1);
  const expr ends = exact * exp(to_float(range(x, exact + 1)) * factor);
  // An end that is a whole number belongs to its bucket, however it was rounded.
  const expr within = where(unsqueeze(to_float(far), 1) - 0.002 <= ends, 1.0, 0.0);
  const expr bucket = where(far <= exact, far, argmax(within, axis(1)) + exact);
  const expr rows = where(distance < 0, -bucket, bucket) + c.buckets;
  const expr vectors = parameter(x, "distances.weight", {2 * c.buckets, c.width}, init::normal(0.02));
  return {layer_norm(vectors, "distances.norm", {.epsilon = c.epsilon}),
          max(min(rows, 2 * c.buckets - 1), 0)};
}

/// Disentangled attention (He et al. 2021, equation 4): contents score contents, and each content the other's distance,
/// by the same maps. x [B, T, width] keeps its shape.
constexpr expr disentangled_attention(expr x, deberta_distances distances, fovea::attention_mask mask,
                                      deberta_config c,
                                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const int each = c.width / c.heads, reach = c.reach;
  struct projection {
    expr of_contents, of_distances;
  };
  const auto projected = [&](const char* name) -> projection {
    const scope inside(x, name);
    const expr weight = parameter(x, "weight", {c.width, c.width}),
               bias = parameter(x, "bias", {c.width}, init::zeros());
    return {linear(x, weight, bias), linear(distances.vectors, weight, bias)};
  };
  const projection q = projected("attn.q"), k = projected("attn.k");
  // A content's score of each row of the distances: [B, heads, T, 2 buckets].
  const auto scores = [&](expr contents, expr of_distances) {
    const expr by_head = permute(reshape(contents, {x.size(0), x.size(1), c.heads, each}), {0, 2, 1, 3});
    const expr rows = permute(reshape(of_distances, {2 * c.buckets, c.heads, each}), {1, 2, 0});
    return matmul(by_head, rows / sqrt(constant(x, 3.0 * each)));
  };
  const expr of_queries = scores(q.of_contents, k.of_distances),
             of_keys = scores(k.of_contents, q.of_distances), rows = distances.rows;
  return attention(q.of_contents / sqrt(constant(x, 3.0)), k.of_contents, linear(x, "attn.v", c.width),
                   {.heads = c.heads,
                    .score =
                        [=](scalar s, scalar query, scalar key, scalar head, scalar batch) {
                          const scalar row = fovea::at(rows, query - key + reach);
                          return s + fovea::at(of_queries, batch, head, query, row) +
                                 fovea::at(of_keys, batch, head, key, row);
                        },
                    .mask = mask,
                    .dropout = c.dropout});
}

/// One block. x [B, T, width] keeps its shape.
constexpr expr deberta_block(expr x, deberta_distances distances, fovea::attention_mask mask,
                             deberta_config c, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return bert_block_of(x, disentangled_attention(x, distances, mask, c), c.block());
}

/// Vectors of tokens [B, T], normalised: [B, T, width].
constexpr expr deberta_embeddings(expr words, expr tokens, deberta_config c,
                                  source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  return dropout(layer_norm(gather(words, tokens), "embed_norm", {.epsilon = c.epsilon}), c.dropout);
}

/// What the first block gives, x, plus a convolution of what it read, `embedded`, normalised: both [B, T, width], of which
/// the first lengths [B] positions count.
constexpr expr deberta_convolution(expr x, expr embedded, expr lengths, deberta_config c,
                                   source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr counts = range(x, x.size(1)) < unsqueeze(lengths, 1);
  const expr near =
      conv1d(embedded * unsqueeze(to_float(counts), 2), "conv", c.width, c.convolution, {.padding = same});
  return layer_norm(x + gelu(dropout(near, c.dropout)), "conv_norm", {.epsilon = c.epsilon});
}

/// The encoder: [B, T, width] for each of the tokens [B, T], the first lengths [B] of which count.
constexpr expr deberta_encoder(expr words, expr tokens, expr lengths, deberta_config c,
                               source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const deberta_distances distances = distances_of(tokens, c);
  const auto block = [&](expr x) { return deberta_block(x, distances, padding(lengths), c); };
  const expr embedded = deberta_embeddings(words, tokens, c);
  if (c.convolution == 0) return repeat("layer", c.layers, embedded, block);
  const auto first = [&] {
    const scope layer(embedded, "layer", 0);
    return block(embedded);
  };
  const expr x = deberta_convolution(first(), embedded, lengths, c);
  return c.layers == 1 ? x : repeat("layer", c.layers - 1, x, block, {.first = 1});
}

/// Scores of each of `classes` for the whole text, by its first token: [B, T, width] -> [B, classes].
constexpr expr deberta_class_scores(expr x, int classes, deberta_config c,
                                    source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const expr first = reshape(slice(x, axis(1), 0, 1), {x.size(0), c.width});
  return linear(gelu(linear(first, "pooler", c.width)), "classifier", classes);
}

/// How Hugging Face names the parameters. Heads that a model leaves out are skipped.
inline constexpr auto deberta_names = naming::together(
    std::to_array<name_rule>({
        {"", "deberta.", naming::optional_prefix},
        {"words", "embeddings.word_embeddings.weight"},
        {"embed_norm.weight", "embeddings.LayerNorm.weight"},
        {"embed_norm.bias", "embeddings.LayerNorm.bias"},
        {"", "embeddings.position_ids", naming::ignored},
        {"distances.weight", "encoder.rel_embeddings.weight"},
        {"distances.norm.weight", "encoder.LayerNorm.weight"},
        {"distances.norm.bias", "encoder.LayerNorm.bias"},
        {"conv.weight", "encoder.conv.conv.weight"},
        {"conv.bias", "encoder.conv.conv.bias"},
        {"conv_norm.weight", "encoder.conv.LayerNorm.weight"},
        {"conv_norm.bias", "encoder.conv.LayerNorm.bias"},
        {"layer.*.attn.q.weight", "encoder.layer.*.attention.self.query_proj.weight"},
        {"layer.*.attn.q.bias", "encoder.layer.*.attention.self.query_proj.bias"},
        {"layer.*.attn.k.weight", "encoder.layer.*.attention.self.key_proj.weight"},
        {"layer.*.attn.k.bias", "encoder.layer.*.attention.self.key_proj.bias"},
        {"layer.*.attn.v.weight", "encoder.layer.*.attention.self.value_proj.weight"},
        {"layer.*.attn.v.bias", "encoder.layer.*.attention.self.value_proj.bias"},
    }),
    bert_block_names,
    std::to_array<name_rule>({
        {"predict.transform.weight", "lm_predictions.lm_head.dense.weight"},
        {"predict.transform.bias", "lm_predictions.lm_head.dense.bias"},
        {"predict.norm.weight", "lm_predictions.lm_head.LayerNorm.weight"},
        {"predict.norm.bias", "lm_predictions.lm_head.LayerNorm.bias"},
        {"predict.bias", "lm_predictions.lm_head.bias"},
        {"words", "cls.predictions.decoder.weight", naming::tied}, // as transformers saves it by default
        {"predict.transform.weight", "cls.predictions.transform.dense.weight"},
        {"predict.transform.bias", "cls.predictions.transform.dense.bias"},
        {"predict.norm.weight", "cls.predictions.transform.LayerNorm.weight"},
        {"predict.norm.bias", "cls.predictions.transform.LayerNorm.bias"},
        {"predict.bias", "cls.predictions.bias"},
        {"predict.bias", "cls.predictions.decoder.bias", naming::tied},
        {"pooler.weight", "pooler.dense.weight"},
        {"pooler.bias", "pooler.dense.bias"},
        {"", "pooler.**", naming::ignored},
        {"", "classifier.**", naming::ignored},
        {"", "lm_predictions.**", naming::ignored},
        {"", "cls.**", naming::ignored},
        {"", "mask_predictions.**", naming::ignored}, // of training
    }));

// The models: tokens [B, T] and lengths [B] of int32.

/// -> hidden [B, T, width]. DebertaV2Model.
template <deberta_config c>
inline constexpr auto deberta = model(
    "deberta",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      g.output("hidden", deberta_encoder(bert_words(tokens, c.block()), tokens, lengths, c));
    },
    deberta_names);

/// -> logits [B, T, vocab] for the token at each position, hidden or not. DebertaV2ForMaskedLM.
template <deberta_config c>
inline constexpr auto deberta_masked_language_model = model(
    "deberta_masked_language_model",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = bert_words(tokens, c.block());
      g.output("logits", bert_token_scores(deberta_encoder(words, tokens, lengths, c), words, c.block()));
    },
    deberta_names);

/// And targets [B, T], -100 where the token is not hidden -> loss, the mean negative log likelihood of the hidden
/// tokens, in nats.
template <deberta_config c>
inline constexpr auto deberta_masked_language_model_loss = model(
    "deberta_masked_language_model_loss",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr words = bert_words(tokens, c.block()), x = deberta_encoder(words, tokens, lengths, c);
      g.output("loss",
               cross_entropy(bert_token_scores(x, words, c.block()), g.input<i32>("targets", {"B", "T"})));
    },
    deberta_names);

/// -> logits [B, classes]. DebertaV2ForSequenceClassification.
template <deberta_config c, int classes>
inline constexpr auto deberta_classifier = model(
    "deberta_classifier",
    [](graph& g) {
      const expr tokens = g.input<i32>("tokens", {"B", "T"}), lengths = g.input<i32>("lengths", {"B"});
      const expr x = deberta_encoder(bert_words(tokens, c.block()), tokens, lengths, c);
      g.output("logits", deberta_class_scores(x, classes, c));
    },
    deberta_names);

} // namespace fovea::models
