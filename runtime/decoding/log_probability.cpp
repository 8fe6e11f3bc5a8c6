#include <fovea/runtime/decoding/log_probability.hpp>

#include <cmath>
#include <utility>

namespace fovea::core {

double perplexity(std::span<const double> log_probabilities) {
  if (log_probabilities.empty()) throw error("the perplexity of no tokens is not defined");
  return perplexity_by_length(log_probabilities).back();
}

std::vector<double> perplexity_by_length(std::span<const double> log_probabilities) {
  std::vector<double> perplexities;
  perplexities.reserve(log_probabilities.size());
  double sum = 0;
  for (const double log_p : log_probabilities) {
    sum += log_p;
    perplexities.push_back(std::exp(-sum / static_cast<double>(perplexities.size() + 1)));
  }
  return perplexities;
}

double detail::log_probability_of(token_id id, std::span<const float> scores) {
  if (!std::in_range<std::size_t>(id) || static_cast<std::size_t>(id) >= scores.size())
    throw error("the probability of a text: expected ids of 0 to " + std::to_string(scores.size() - 1) +
                "; found " + std::to_string(id));
  return static_cast<double>(scores[static_cast<std::size_t>(id)]) - detail::log_sum_exp(scores);
}

} // namespace fovea::core
