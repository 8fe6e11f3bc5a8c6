#pragma once

// The neural language model of a fixed window (Bengio et al. 2003, eq. 1): the vectors of the last n words
// side by side, one hidden layer of tanh, scores of the next word, with direct connections or without.

#include <fovea/dsl.hpp>

namespace fovea::models {

struct window_lm_config {
  int vocab, width, hidden, window; // width: of a word vector; window: how many words are seen
  bool direct = false;              // from the word vectors straight to the scores
};

/// Scores of the next word: the last words [B, window] of int32, the oldest first -> [B, vocab].
constexpr expr window_lm_logits(expr tokens, window_lm_config c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr x = reshape(embedding(tokens, "C", c.vocab, c.width), {tokens.size(0), c.window * c.width});
  const expr y = linear(tanh(linear(x, "H", c.hidden)), "U", c.vocab);
  return c.direct ? y + linear(x, "W", c.vocab, {.bias = false}) : y;
}

/// tokens [B, window] of int32 -> logits [B, vocab].
template <window_lm_config c>
inline constexpr auto window_lm = model("window_lm", [](graph& g) {
  g.output("logits", window_lm_logits(g.input<i32>("tokens", {"B", c.window}), c));
});

/// tokens [B, window], targets [B] of int32 -> the mean negative log likelihood of a word, in nats.
template <window_lm_config c>
inline constexpr auto window_lm_loss = model("window_lm_loss", [](graph& g) {
  const expr logits = window_lm_logits(g.input<i32>("tokens", {"B", c.window}), c);
  g.output("loss", cross_entropy(logits, g.input<i32>("targets", {"B"})));
});

} // namespace fovea::models
