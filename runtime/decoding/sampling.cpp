#include <fovea/runtime/decoding/sampling.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/number_text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace fovea::core {
namespace {

void require(bool holds, const char* option, const char* range, double found) {
  if (!holds)
    throw error(std::string("sampling: expected ") + option + ' ' + range + "; found " + number_text(found));
}

bool less_likely(const token_probability& a, const token_probability& b) {
  return a.probability < b.probability || (a.probability == b.probability && a.id > b.id);
}

void penalise_repetition(std::vector<float>& scores, std::span<const token_id> read, double penalty) {
  token_ids held(read.begin(), read.end());
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  for (const token_id id : held) {
    // The prompt of an encoder-decoder may come from another vocabulary.
    if (!std::in_range<std::size_t>(id) || static_cast<std::size_t>(id) >= scores.size()) continue;
    float& score = scores[static_cast<std::size_t>(id)];
    // One that leaves float's range would make others impossible, or no number.
    constexpr double most = std::numeric_limits<float>::max();
    const double penalised = score > 0 ? score / penalty : score * penalty;
    score = static_cast<float>(std::isfinite(score) ? std::clamp(penalised, -most, most) : penalised);
  }
}

float kth_highest(std::span<const float> scores, std::size_t k) {
  std::vector<float> sorted(scores.begin(), scores.end());
  const auto kth = sorted.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(sorted.begin(), kth, sorted.end(), std::greater<>());
  return *kth;
}

double sum_of(std::span<const token_probability> tokens) {
  double sum = 0;
  for (const token_probability& t : tokens) sum += t.probability;
  return sum;
}

/// Keeps the likeliest, and each other while those before it sum to less than `share` of all. A heap gives them in
/// order without sorting the whole vocabulary.
void keep_top_p(std::vector<token_probability>& tokens, double share) {
  const double enough = share * sum_of(tokens);
  std::vector<token_probability> kept;
  std::make_heap(tokens.begin(), tokens.end(), less_likely);
  for (double sum = 0; !tokens.empty() && (kept.empty() || sum < enough); sum += kept.back().probability) {
    std::pop_heap(tokens.begin(), tokens.end(), less_likely);
    kept.push_back(tokens.back());
    tokens.pop_back();
  }
  tokens = std::move(kept);
}

} // namespace

void detail::check(const sampling_options& o) {
  const double infinity = std::numeric_limits<double>::infinity();
  require(o.temperature >= 0 && o.temperature < infinity, "temperature", "of 0 or more", o.temperature);
  require(o.top_p > 0 && o.top_p <= 1, "top_p", "above 0 and at most 1", o.top_p);
  require(o.min_p >= 0 && o.min_p <= 1, "min_p", "of 0 to 1", o.min_p);
  require(o.repetition_penalty > 0 && o.repetition_penalty < infinity, "repetition_penalty", "above 0",
          o.repetition_penalty);
  require(o.samples >= 1, "samples", "of 1 or more", static_cast<double>(o.samples));
}

double detail::log_sum_exp(std::span<const float> scores) {
  const float largest = scores.empty() ? -std::numeric_limits<float>::infinity()
                                       : *std::max_element(scores.begin(), scores.end());
  if (largest == -std::numeric_limits<float>::infinity())
    throw error("scores of the next token: every token is impossible");
  double sum = 0;
  for (const float score : scores) sum += std::exp(static_cast<double>(score) - static_cast<double>(largest));
  if (!std::isfinite(sum)) { // NaN, or infinity less infinity
    const auto bad = std::find_if(scores.begin(), scores.end(), [](float x) {
      return std::isnan(x) || x == std::numeric_limits<float>::infinity();
    });
    throw error("scores of the next token: token " + std::to_string(bad - scores.begin()) + " has " +
                std::to_string(*bad));
  }
  return static_cast<double>(largest) + std::log(sum);
}

token_id detail::drawn(std::span<const token_probability> tokens, double u) {
  for (const token_probability& t : tokens) {
    u -= t.probability;
    if (u < 0) return t.id;
  }
  return tokens.back().id; // the sum rounded to a little under u
}

token_id most_likely(std::span<const float> scores) {
  return static_cast<token_id>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

std::vector<token_probability> filtered(std::span<const float> scores, const sampling_options& options,
                                        std::span<const token_id> read) {
  std::vector<float> penalised;
  if (options.repetition_penalty != 1) {
    penalised.assign(scores.begin(), scores.end());
    penalise_repetition(penalised, read, options.repetition_penalty);
    scores = penalised;
  }
  if (options.temperature == 0) return {{most_likely(scores), 1.0}};

  const float lowest = options.top_k == 0 || options.top_k >= scores.size()
                           ? -std::numeric_limits<float>::infinity()
                           : kth_highest(scores, options.top_k);
  const float largest = *std::max_element(scores.begin(), scores.end());
  std::vector<token_probability> tokens;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] >= lowest && scores[i] != -std::numeric_limits<float>::infinity())
      tokens.push_back(
          {static_cast<token_id>(i),
           std::exp((static_cast<double>(scores[i]) - static_cast<double>(largest)) / options.temperature)});
  if (options.top_p < 1) keep_top_p(tokens, options.top_p);
  if (options.min_p > 0) // the likeliest has exp(0)
    std::erase_if(tokens, [&](const token_probability& t) { return t.probability < options.min_p; });

  const double sum = sum_of(tokens);
  for (token_probability& t : tokens) t.probability /= sum;
  return tokens;
}

} // namespace fovea::core
