#pragma once

// Small models of the next token for tests.

#include <fovea/runtime/decoding/token_table.hpp>

#include <random>

namespace fovea::core::test {

inline xt::xtensor<float, 3> scores_of(std::size_t steps, std::size_t vocabulary) {
  return xt::zeros<float>({steps, vocabulary, vocabulary});
}

/// A model with random weights, of this deviation: what comes next depends on the last token alone.
inline token_table drawn_model(std::size_t vocabulary, unsigned seed, float deviation) {
  std::mt19937 random(seed);
  std::normal_distribution<float> score(0, deviation);
  xt::xtensor<float, 3> scores = scores_of(1, vocabulary);
  for (float& s : scores) s = score(random);
  return token_table(std::move(scores));
}

/// A Markov chain in which every token is followed by token + 1 with score 2, by itself with score 1, by the
/// others with 0.
inline token_table chain(std::size_t vocabulary) {
  xt::xtensor<float, 3> scores = scores_of(1, vocabulary);
  for (std::size_t i = 0; i < vocabulary; ++i) {
    scores(0, i, i) = 1;
    scores(0, i, (i + 1) % vocabulary) = 2;
  }
  return token_table(std::move(scores));
}

} // namespace fovea::core::test
