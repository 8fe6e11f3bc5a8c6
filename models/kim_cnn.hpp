#pragma once

// A convolutional network that classifies sentences (Kim 2014): filters of several widths over word vectors,
// the largest value of each filter over time, a linear map. Also with two tables of word vectors, one of them
// fixed ("CNN-multichannel").

#include <fovea/dsl.hpp>

#include <array>

namespace fovea::models {

struct kim_cnn_config {
  int vocab, width, classes;          // width: of a word vector
  int filters = 100;                  // of each of the widths below
  std::array<int, 3> widths{3, 4, 5}; // words that a filter sees
  bool multichannel = false;          // a second, fixed table beside the learned one
  double dropout = 0.5;
};

/// Word vectors: tokens [B, T] of int32 -> [B, T, width], at first uniform within 0.25, which is about as
/// large as word2vec's, as the paper asks for (section 3.2). A filter is applied to both channels and the
/// results are added (section 2.1), which is to say that it sees the sum of the channels.
constexpr expr kim_cnn_words(expr tokens, kim_cnn_config c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr tuned = embedding(tokens, "words", c.vocab, c.width, init::uniform(0.25));
  return c.multichannel ? tuned + stop_gradient(embedding(tokens, "fixed_words", c.vocab, c.width)) : tuned;
}

/// The largest value over time that each filter gives: x [B, T, any width] -> [B, filters of all widths].
constexpr expr kim_cnn_features(expr x, kim_cnn_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  const auto largest = [&](std::size_t i) {
    const scope names(x, "convs", static_cast<int>(i));
    return max_over(relu(conv1d(x, "conv", c.filters, c.widths[i])), axis(-2));
  };
  return concat(axis(-1), largest(0), largest(1), largest(2));
}

/// Scores of the classes: features [B, any width] -> [B, classes].
constexpr expr kim_cnn_scores(expr features, kim_cnn_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(features, at);
  return linear(dropout(features, c.dropout), "scores", c.classes);
}

/// The names of the plain module in PyTorch: embedding, static, convs.i, linear.
inline constexpr auto kim_cnn_names = std::to_array<name_rule>({
    {"words.weight", "embedding.weight"},
    {"fixed_words.weight", "static.weight"},
    {"convs.*.conv.weight", "convs.*.weight"},
    {"convs.*.conv.bias", "convs.*.bias"},
    {"scores.weight", "linear.weight"},
    {"scores.bias", "linear.bias"},
});

/// tokens [B, T] of int32, T at least the largest width -> features [B, 3 * filters], logits [B, classes].
template <kim_cnn_config c>
inline constexpr auto kim_cnn = model(
    "kim_cnn",
    [](graph& g) {
      const expr features = kim_cnn_features(kim_cnn_words(g.input<i32>("tokens", {"B", "T"}), c), c);
      g.output("features", features);
      g.output("logits", kim_cnn_scores(features, c));
    },
    kim_cnn_names);

/// tokens [B, T], targets [B] of int32 -> the mean negative log likelihood of a text's class, in nats.
template <kim_cnn_config c>
inline constexpr auto kim_cnn_loss = model(
    "kim_cnn_loss",
    [](graph& g) {
      const expr features = kim_cnn_features(kim_cnn_words(g.input<i32>("tokens", {"B", "T"}), c), c);
      g.output("loss", cross_entropy(kim_cnn_scores(features, c), g.input<i32>("targets", {"B"})));
    },
    kim_cnn_names);

} // namespace fovea::models
