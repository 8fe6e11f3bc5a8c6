#include <fovea/runtime/decoding/generate.hpp>

#include <fovea/runtime/decoding/random.hpp>

namespace fovea::core::detail {

std::vector<continuation> sampled_text::advance(const token_scores& scores, std::size_t row,
                                                const proposed_token* proposed) {
  const std::span<const float> next = scores.last(row);
  const double normaliser = detail::log_sum_exp(next);
  const std::vector<token_probability> tokens = filtered(next, options_, read_);
  const double u = uniform(options_.seed, sample_, result_.ids.size());
  const token_id id = proposed == nullptr ? drawn(tokens, u) : drawn_beside(*proposed, tokens, u);
  const double log_probability = static_cast<double>(next[static_cast<std::size_t>(id)]) - normaliser;

  read_.push_back(id);
  result_.ids.push_back(id);
  result_.log_probability += log_probability;
  result_.score = result_.log_probability;
  std::optional<ended_by> ended = ending(result_, where_);
  if (each_ && !each_({prompt_, sample_, id, log_probability}) && !ended) ended = ended_by::caller;
  if (!ended) return {{0, id}};
  finish(result_, *ended, where_);
  return {};
}

} // namespace fovea::core::detail
