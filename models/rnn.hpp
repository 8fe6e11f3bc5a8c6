#pragma once

// Recurrent networks over words: a language model (Elman 1990; Mikolov et al. 2010; Zaremba et al. 2014), a
// classifier of sequences, and a tagger that reads both ways (Graves and Schmidhuber 2005).

#include <fovea/dsl.hpp>

namespace fovea::models {

enum class cell_kind : std::uint8_t { elman, elman_relu, gru, lstm };

/// The recurrent word of a cell, in one direction or both.
constexpr recurrent_result recurrent(cell_kind cell, expr x, const char* name, int hidden,
                                     const recurrent_options& options = {}, bool both = false,
                                     source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const auto made = [&](const auto& word) {
    return both ? bidirectional(word, x, name, hidden, options, at) : word(x, name, hidden, options, at);
  };
  switch (cell) {
    case cell_kind::elman:
      return made(elman);
    case cell_kind::elman_relu:
      return made(elman_relu);
    case cell_kind::gru:
      return made(gru);
    case cell_kind::lstm:
      return made(lstm);
  }
  return {};
}

/// Which positions [B, T] of x [B, T, ...] lie inside their sequence's length; lengths [B].
constexpr expr inside_lengths(expr x, expr lengths, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  return range(x, x.size(1)) < unsqueeze(lengths, 1);
}

struct rnn_config {
  int vocab, width, hidden; // width: of a word vector
  cell_kind cell = cell_kind::lstm;
  int layers = 1;
  bool tied = false; // the output multiplies by the table of word vectors; width = hidden then
  double dropout = 0;
};

/// Scores of the next word: tokens [B, T] of int32 -> [B, T, vocab], and the states after the last of them.
constexpr recurrent_result rnn_logits(expr tokens, rnn_config c, const recurrent_options& options = {},
                                      source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr words = parameter(tokens, "embedding.weight", {c.vocab, c.width});
  recurrent_options all = options;
  all.layers = c.layers, all.dropout = c.dropout;
  const recurrent_result y =
      recurrent(c.cell, dropout(gather(words, tokens), c.dropout), "rnn", c.hidden, all);
  const expr h = dropout(y, c.dropout);
  if (c.tied) return {matmul(h, transpose(words)) + parameter(tokens, "linear.bias", {c.vocab}), y.state};
  return {linear(h, "linear", c.vocab), y.state};
}

/// tokens [B, T] of int32 -> logits [B, T, vocab]. Its parameters have the names of a PyTorch module with
/// `embedding`, `rnn` and `linear`.
template <rnn_config c>
inline constexpr auto rnn_language_model = model("rnn_language_model", [](graph& g) {
  g.output("logits", rnn_logits(g.input<i32>("tokens", {"B", "T"}), c));
});

/// tokens, targets [B, T] of int32, target -100 ignored -> the mean negative log likelihood of a token, in
/// nats; its exponential is the perplexity.
template <rnn_config c>
inline constexpr auto rnn_language_model_loss = model("rnn_language_model_loss", [](graph& g) {
  const expr logits = rnn_logits(g.input<i32>("tokens", {"B", "T"}), c);
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B", "T"})));
});

/// The states that a window of a long text begins with, [layers, B, hidden], as inputs: "hidden", and "cell"
/// of an LSTM.
constexpr recurrent_state states_before(graph& g, cell_kind cell, int layers, int hidden) {
  const expr h = g.input<f32>("hidden", {layers, "B", hidden});
  return states_of(h, cell == cell_kind::lstm ? g.input<f32>("cell", {layers, "B", hidden}) : expr{});
}
/// The states that it leaves for the window after it, as outputs "new.hidden" and "new.cell".
constexpr void states_after(graph& g, cell_kind cell, const recurrent_state& state) {
  g.output("new.hidden", stack_states(state.hidden, state.count));
  if (cell == cell_kind::lstm) g.output("new.cell", stack_states(state.cell, state.count));
}

/// The same for a window of a text that goes on from window to window (truncated backpropagation through
/// time): hidden [layers, B, hidden], and cell of an LSTM -> loss, new.hidden, new.cell, which training
/// carries on by itself (runtime/training/train.hpp).
template <rnn_config c>
inline constexpr auto rnn_language_model_window_loss = model("rnn_language_model_window_loss", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {"B", "T"});
  const recurrent_result y = rnn_logits(tokens, c, {.initial = states_before(g, c.cell, c.layers, c.hidden)});
  g.output("loss", cross_entropy(y, g.input<i32>("targets", {"B", "T"})));
  states_after(g, c.cell, y.state);
});

enum class pooling : std::uint8_t { last, largest, mean };

struct rnn_classifier_config {
  int vocab, width, hidden, classes;
  cell_kind cell = cell_kind::gru;
  /// The last real state, or the largest or mean output over real positions: 0 of none.
  pooling pool = pooling::last;
  bool both = false;
  double dropout = 0; // of word vectors and of what is classified
};

/// tokens [B, T] of int32, lengths [B] -> what is classified, [B, hidden] ([B, 2 hidden] read both ways).
constexpr expr rnn_pooled(expr tokens, expr lengths, rnn_classifier_config c,
                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x = dropout(embedding(tokens, "embedding", c.vocab, c.width), c.dropout);
  const recurrent_result y = recurrent(c.cell, x, "rnn", c.hidden, {.lengths = lengths}, c.both);
  switch (c.pool) {
    case pooling::last:
      return c.both ? concat(axis(-1), y.state.hidden[0], y.state.hidden[1]) : y.state.hidden[0];
    case pooling::largest:
      return where(unsqueeze(lengths > 0, 1),
                   max_over(where(unsqueeze(inside_lengths(x, lengths), 2), y.output, -3e38), axis(1)), 0);
    case pooling::mean: // outputs behind the end are zero
      return sum(y.output, axis(1)) / unsqueeze(to_float(max(lengths, 1)), 1);
  }
  return {};
}

/// tokens [B, T] of int32, lengths [B] -> pooled, logits [B, classes].
template <rnn_classifier_config c>
inline constexpr auto rnn_classifier = model("rnn_classifier", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {"B", "T"});
  const expr pooled = rnn_pooled(tokens, g.input<i32>("lengths", {"B"}), c);
  g.output("pooled", pooled);
  g.output("logits", linear(dropout(pooled, c.dropout), "linear", c.classes));
});

/// The same and targets [B] of int32 -> the mean negative log likelihood of a sequence's class, in nats.
template <rnn_classifier_config c>
inline constexpr auto rnn_classifier_loss = model("rnn_classifier_loss", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {"B", "T"});
  const expr pooled = rnn_pooled(tokens, g.input<i32>("lengths", {"B"}), c);
  const expr scores = linear(dropout(pooled, c.dropout), "linear", c.classes);
  g.output("loss", cross_entropy(scores, g.input<i32>("targets", {"B"})));
});

struct rnn_tagger_config {
  int vocab, width, hidden, tags;
  cell_kind cell = cell_kind::lstm;
  int layers = 1;
};

/// Scores of each word's tag, read both ways: tokens [B, T] of int32, lengths [B] -> [B, T, tags].
constexpr expr rnn_tag_scores(expr tokens, expr lengths, rnn_tagger_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x = embedding(tokens, "embedding", c.vocab, c.width);
  const recurrent_options options{.layers = c.layers, .lengths = lengths};
  return linear(recurrent(c.cell, x, "rnn", c.hidden, options, true), "linear", c.tags);
}

/// tokens [B, T] of int32, lengths [B] -> logits [B, T, tags] and the most likely tag of each word [B, T],
/// -1 behind the end; with scores of transitions between tags, decode the logits by `viterbi`.
template <rnn_tagger_config c>
inline constexpr auto rnn_tagger = model("rnn_tagger", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {"B", "T"});
  const expr lengths = g.input<i32>("lengths", {"B"}), scores = rnn_tag_scores(tokens, lengths, c);
  g.output("logits", scores);
  g.output("tags", where(inside_lengths(tokens, lengths), argmax(scores, axis(-1)), -1));
});

/// The same and targets [B, T] of int32, -100 behind the end -> the mean negative log likelihood of a tag, in
/// nats.
template <rnn_tagger_config c>
inline constexpr auto rnn_tagger_loss = model("rnn_tagger_loss", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {"B", "T"});
  const expr scores = rnn_tag_scores(tokens, g.input<i32>("lengths", {"B"}), c);
  g.output("loss", cross_entropy(scores, g.input<i32>("targets", {"B", "T"})));
});

} // namespace fovea::models
