#pragma once

// The probability of given texts, of anything that says the next token.

#include <fovea/runtime/decoding/decode_together.hpp>
#include <fovea/runtime/decoding/sampling.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace fovea::core {

/// log p of every token of each text but its first, given those before it; natural logarithm. Texts are read
/// together and may differ in length; each begins with the id of its start. Throws fovea::error for a text
/// without ids, an id outside the vocabulary, scores that are no numbers, and scores after the last of
/// several ids alone.
template <next_token_model M>
std::vector<std::vector<double>> log_probabilities(M& model, std::span<const token_ids> texts);

/// The same of one text.
template <next_token_model M>
std::vector<double> log_probabilities(M& model, const token_ids& text) {
  return std::move(log_probabilities(model, std::span(&text, 1)).front());
}

/// log p of a text after its first token.
template <class M>
requires requires(M& model, const token_ids& text) { log_probabilities(model, text); }
double log_probability(M& model, const token_ids& text) {
  double sum = 0;
  for (const double log_p : log_probabilities(model, text)) sum += log_p;
  return sum;
}

/// exp(-mean of log p). A model that knows nothing has the size of its vocabulary. Throws fovea::error for
/// none.
double perplexity(std::span<const double> log_probabilities);

/// The perplexity of the first 1, 2, ... tokens.
std::vector<double> perplexity_by_length(std::span<const double> log_probabilities);

namespace detail {

/// log p of a token by the scores before it.
double log_probability_of(token_id id, std::span<const float> scores);

} // namespace detail

template <next_token_model M>
std::vector<std::vector<double>> log_probabilities(M& model, std::span<const token_ids> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts[i].empty())
      throw error("text " + std::to_string(i) +
                  " is empty; its probability is that of what follows its first id");
  std::vector<std::vector<double>> results(texts.size());
  std::vector<std::size_t> from; // the text of each row
  for (std::size_t i = 0; i < texts.size(); ++i) {
    from.push_back(i);
    results[i].reserve(texts[i].size() - 1);
  }
  if (!texts.empty()) model.begin(texts.size());

  // Every row reads as far as the shortest goes; what has been read to its end leaves. The last id of a text
  // need not be read, unless it is the only one: a model's rows are all there at its first step.
  const auto to_read = [&](std::size_t i) { return std::max<std::size_t>(texts[i].size() - 1, 1); };
  token_ids ids;
  for (std::size_t read = 0, positions = 0;; read += positions) {
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < from.size(); ++row)
      if (to_read(from[row]) > read) kept.push_back(row);
    if (kept.empty()) return results;
    if (kept.size() < from.size()) {
      model.reorder(kept);
      reorder_rows(from, kept);
    }
    positions = to_read(*std::ranges::min_element(from, {}, to_read)) - read;
    ids.clear();
    for (const std::size_t i : from) {
      const auto next = texts[i].begin() + static_cast<std::ptrdiff_t>(read);
      ids.insert(ids.end(), next, next + static_cast<std::ptrdiff_t>(positions));
    }
    const token_scores scores = model.step(ids);
    detail::check_scores(scores, from.size(), positions);
    if (scores.positions() < positions)
      throw error("scores of the next token: expected those after each of " + std::to_string(positions) +
                  " ids, found those after the last alone; the probability of a text is by a model without "
                  "last<T>(...)");
    for (std::size_t row = 0; row < from.size(); ++row)
      for (std::size_t p = 0; p < positions && read + p + 1 < texts[from[row]].size(); ++p)
        results[from[row]].push_back(
            detail::log_probability_of(texts[from[row]][read + p + 1], scores.at(row, p)));
  }
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::log_probabilities, core::log_probability, core::perplexity, core::perplexity_by_length;
} // namespace fovea
