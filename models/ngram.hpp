#pragma once

// The n-gram language model (Markov 1913; Shannon 1948; Chen and Goodman 1999 on its smoothing). Its counts,
// their smoothing (maximum likelihood, add-k, backoff, interpolated Kneser-Ney) and files are in
// runtime/ngram/: sorted arrays, which hold what occurred and no more. Here is the same model as a network,
// for vocabularies so small (characters, bytes) that a table may hold every context: one look-up a token,
// compiled and streamed as any other language model. runtime/ngram/dense.hpp fills the table from counts.

#include <fovea/dsl.hpp>

namespace fovea::models {

/// order: tokens of a gram; vocabulary: ids, the start among them; start: what stands before a text.
struct dense_ngram_config {
  int order, vocabulary, start = 0;

  constexpr int contexts() const {
    int rows = 1;
    for (int i = 1; i < order; ++i) rows *= vocabulary;
    return rows;
  }
};

/// The context of each token as a number, its latest token the lowest digit to the base of the vocabulary:
/// tokens [B, T] of int32 -> [B, T] of int32.
constexpr expr ngram_contexts(expr tokens, dense_ngram_config c,
                              source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  if (c.order == 1) return tokens * 0;
  expr context = tokens;
  for (int back = 1, digit = c.vocabulary; back < c.order - 1; ++back, digit *= c.vocabulary) {
    const expr earlier = slice(pad(tokens, axis(1), back, 0, c.start), axis(1), 0, -back);
    context = context + earlier * digit;
  }
  return context;
}

/// Scores of the next token, log p: tokens [B, T] of int32 -> [B, T, vocabulary].
constexpr expr ngram_logits(expr tokens, dense_ngram_config c,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(tokens, at);
  const expr table = parameter(tokens, "log_probabilities", {c.contexts(), c.vocabulary});
  return gather(table, ngram_contexts(tokens, c));
}

/// tokens [B, T] of int32 -> logits [B, T, vocabulary].
template <dense_ngram_config c>
inline constexpr auto dense_ngram = model("ngram", [](graph& g) {
  g.output("logits", ngram_logits(g.input<i32>("tokens", {"B", "T"}), c));
});

} // namespace fovea::models
