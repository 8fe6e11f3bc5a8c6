#include <fovea/runtime/decoding/beam_search.hpp>

#include <fovea/base/number_text.hpp>
#include <fovea/runtime/decoding/sampling.hpp>

#include <cmath>
#include <limits>

namespace fovea::core::detail {

void check(const beam_options& options) {
  if (options.width == 0) throw error("beam search: expected a width of 1 or more; found 0");
  if (options.best == 0) throw error("beam search: expected best of 1 or more; found 0");
  if (std::isnan(options.length_power) || options.length_power < 0 || std::isinf(options.length_power))
    throw error("beam search: expected a length_power of 0 or more; found " +
                number_text(options.length_power));
}

/// As many as there are places, best first. Candidates come in the order that decides between equal ones, so
/// a later one must be better to pass an earlier.
std::vector<beam_text::candidate> beam_text::best_candidates(const token_scores& scores,
                                                             std::size_t first_row) const {
  std::vector<candidate> best;
  double worst = -std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < live_.size(); ++row) {
    const std::span<const float> next = scores.last(first_row + row);
    const double before = live_[row].log_probability - detail::log_sum_exp(next);
    for (std::size_t id = 0; id < next.size(); ++id) {
      const double log_probability = before + static_cast<double>(next[id]);
      if (!(log_probability > worst)) continue;
      const auto place =
          std::ranges::upper_bound(best, log_probability, std::greater<>(), &candidate::log_probability);
      best.insert(place, {log_probability, {row, static_cast<token_id>(id)}});
      if (best.size() > width_) best.pop_back();
      if (best.size() == width_) worst = best.back().log_probability;
    }
  }
  return best;
}

std::vector<continuation> beam_text::advance(const token_scores& scores, std::size_t first_row) {
  std::vector<hypothesis> live;
  std::vector<continuation> next;
  const std::size_t ended_before = ended_.size();
  for (const candidate& c : best_candidates(scores, first_row)) {
    hypothesis h = live_[c.from.row];
    h.ids.push_back(c.from.id);
    h.log_probability = c.log_probability;
    h.score = c.log_probability / std::pow(static_cast<double>(h.ids.size()), options_.length_power);
    const std::optional<ended_by> ended = ending(h, where_);
    if (ended && *ended != ended_by::length) {
      finish(h, *ended, where_);
      ended_.push_back(std::move(h));
    } else {
      next.push_back(c.from);
      live.push_back(std::move(h));
    }
  }
  live_ = std::move(live);
  width_ -= ended_.size() - ended_before;
  if (each_) each_({prompt_, live_, std::span(ended_).subspan(ended_before), width_});
  if (width_ > 0 && !live_.empty() && live_.front().ids.size() < where_.max_tokens) return next;

  for (hypothesis& h : live_) {
    finish(h, ended_by::length, where_);
    ended_.push_back(std::move(h));
  }
  live_.clear();
  return {};
}

std::vector<hypothesis> beam_text::ranked() {
  std::ranges::stable_sort(ended_, std::greater<>(), &hypothesis::score);
  ended_.resize(std::min(ended_.size(), options_.best));
  return std::move(ended_);
}

} // namespace fovea::core::detail
