#include <fovea/runtime/decoding/whisper_rules.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace fovea::core {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

std::size_t place_of(token_id id, std::span<const float> scores) {
  if (!std::in_range<std::size_t>(id) || static_cast<std::size_t>(id) >= scores.size())
    throw error("whisper_rules: expected tokens of 0 to " + std::to_string(scores.size() - 1) + "; found " +
                std::to_string(id));
  return static_cast<std::size_t>(id);
}

void suppress(std::span<const token_id> ids, std::span<float> scores) {
  for (const token_id id : ids) scores[place_of(id, scores)] = impossible;
}

void forbid(std::span<float> scores) { std::ranges::fill(scores, impossible); }

void apply(const whisper_times& rules, std::span<const token_id> said, std::span<float> scores) {
  const std::size_t first = place_of(rules.none, scores) + 1, end = place_of(rules.end, scores);
  const std::span<float> times = scores.subspan(first), others = scores.first(first);
  const auto is_time = [&](token_id id) { return id > rules.none; };
  scores[first - 1] = impossible;

  // A pair ends one part of the text and begins the next.
  const bool after_time = !said.empty() && is_time(said.back());
  const bool after_pair = after_time && (said.size() < 2 || is_time(said[said.size() - 2]));
  if (after_pair)
    forbid(times);
  else if (after_time)
    forbid(scores.first(end));

  // The second of a pair may repeat the first; any other time is later than the last.
  const auto last = std::find_if(said.rbegin(), said.rend(), is_time);
  if (last != said.rend()) {
    const auto steps = static_cast<std::size_t>(*last - rules.none - 1);
    const std::size_t earlier = after_time && !after_pair ? steps : steps + 1;
    forbid(times.first(std::min(earlier, times.size())));
  }
  if (said.empty()) {
    forbid(others);
    if (rules.most_first < times.size()) forbid(times.subspan(rules.most_first + 1));
  }

  // Whether all times together are more probable than the most probable other token.
  const float most = times.empty() ? impossible : *std::ranges::max_element(times);
  if (most == impossible) return;
  double sum = 0;
  for (const float x : times) sum += std::exp(static_cast<double>(x) - static_cast<double>(most));
  if (static_cast<double>(most) + std::log(sum) > static_cast<double>(*std::ranges::max_element(others)))
    forbid(others);
}

} // namespace

void whisper_rules::operator()(std::span<const token_id> read, std::span<float> scores) const {
  if (read.size() < prompt) return;
  const std::size_t written = read.size() - prompt;
  if (written < forced.size()) {
    const std::size_t next = place_of(forced[written], scores);
    const float kept = scores[next];
    forbid(scores);
    scores[next] = kept;
    return;
  }
  suppress(suppressed, scores);
  if (written == forced.size()) suppress(suppressed_first, scores);
  if (times) apply(*times, read.subspan(prompt + forced.size()), scores);
}

} // namespace fovea::core
