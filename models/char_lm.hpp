#pragma once

// The character-aware language model (Kim et al. 2016): each word is read by a convolution over its
// characters, the largest value of each filter, and highway layers (Srivastava et al. 2015); a recurrent
// network reads the words.

#include <fovea/models/rnn.hpp>

#include <array>

namespace fovea::models {

struct char_lm_config {
  int characters, character_width;    // how many there are; width of a character's vector
  int word_length;                    // characters of a word, padded by id 0
  std::array<int, 8> widths, filters; // characters that a filter sees, and how many filters do; 0: no more
  int vocab, hidden;
  int highways = 1;
  cell_kind cell = cell_kind::lstm;
  int layers = 2;
  double dropout = 0.5;    // between the layers and of the output (section 4.1)
  double word_dropout = 0; // of what the highways give, which the paper leaves whole
};

/// A highway layer: t relu(W y + b) + (1 - t) y with t = sigmoid(U y + c), of any number of axes.
constexpr expr highway(expr y, const char* name, int index,
                       source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(y, at);
  const auto inside = scope(y, name, index);
  const expr t = sigmoid(linear(y, "T", y.size(-1)));
  return t * relu(linear(y, "H", y.size(-1))) + (1 - t) * y;
}

/// A vector for each word: characters [B, T, word length] of int32 -> [B, T, filters of all widths].
constexpr expr char_lm_words(expr characters, char_lm_config c,
                             source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(characters, at);
  const expr x = embedding(characters, "char_embedding", c.characters, c.character_width);
  expr words;
  for (std::size_t i = 0; i < c.widths.size() && c.widths[i] > 0; ++i) {
    const auto inside = scope(x, "convs", static_cast<int>(i));
    const expr largest = max_over(tanh(conv1d(x, "conv", c.filters[i], c.widths[i])), axis(-2));
    words = i == 0 ? largest : concat(axis(-1), words, largest);
  }
  for (int i = 0; i < c.highways; ++i) words = highway(words, "highway", i);
  return words;
}

/// PyTorch's names: char_embedding, convs.i, highway.i, lstm, linear.
inline constexpr auto char_lm_names = std::to_array<name_rule>({
    {"convs.*.conv.weight", "convs.*.weight"},
    {"convs.*.conv.bias", "convs.*.bias"},
});

/// Scores of the next word: word vectors [B, T, filters] -> [B, T, vocab], and the states after the last of
/// them.
constexpr recurrent_result char_lm_logits(expr words, char_lm_config c, const recurrent_state& initial = {},
                                          source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(words, at);
  const recurrent_options options{.layers = c.layers, .initial = initial, .dropout = c.dropout};
  const recurrent_result h = recurrent(c.cell, dropout(words, c.word_dropout), "lstm", c.hidden, options);
  return {linear(dropout(h, c.dropout), "linear", c.vocab), h.state};
}

/// characters [B, T, word length] of int32 -> word vectors [B, T, filters], logits [B, T, vocab].
template <char_lm_config c>
inline constexpr auto char_lm = model(
    "char_lm",
    [](graph& g) {
      const expr words = char_lm_words(g.input<i32>("characters", {"B", "T", c.word_length}), c);
      g.output("word_vectors", words);
      g.output("logits", char_lm_logits(words, c));
    },
    char_lm_names);

/// The same and targets [B, T] of int32, -100 ignored -> the mean negative log likelihood of a word, in nats.
template <char_lm_config c>
inline constexpr auto char_lm_loss = model(
    "char_lm_loss",
    [](graph& g) {
      const expr words = char_lm_words(g.input<i32>("characters", {"B", "T", c.word_length}), c);
      g.output("loss", cross_entropy(char_lm_logits(words, c), g.input<i32>("targets", {"B", "T"})));
    },
    char_lm_names);

/// The same for a window of a text that goes on from window to window: hidden and cell [layers, B, hidden] ->
/// loss, new.hidden, new.cell, which training carries on by itself (runtime/training/train.hpp).
template <char_lm_config c>
inline constexpr auto char_lm_window_loss = model(
    "char_lm_window_loss",
    [](graph& g) {
      const expr words = char_lm_words(g.input<i32>("characters", {"B", "T", c.word_length}), c);
      const recurrent_result y = char_lm_logits(words, c, states_before(g, c.cell, c.layers, c.hidden));
      g.output("loss", cross_entropy(y, g.input<i32>("targets", {"B", "T"})));
      states_after(g, c.cell, y.state);
    },
    char_lm_names);

} // namespace fovea::models
