#include <fovea/runtime/decoding/draft.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <string>

namespace fovea::core::detail {
namespace {

double probability_of(token_id id, std::span<const token_probability> tokens) {
  const auto found = std::ranges::find(tokens, id, &token_probability::id);
  return found == tokens.end() ? 0 : found->probability;
}

/// What the tokens have more than others, as probabilities; none where that is nothing.
std::vector<token_probability> more_than(std::span<const token_probability> others,
                                         std::span<const token_probability> tokens) {
  std::vector<token_probability> by_id(others.begin(), others.end()), left;
  std::ranges::sort(by_id, {}, &token_probability::id);
  double sum = 0;
  for (const auto& [id, p] : tokens) {
    const auto other = std::ranges::lower_bound(by_id, id, {}, &token_probability::id);
    const double more = other == by_id.end() || other->id != id ? p : p - other->probability;
    if (more <= 0) continue;
    left.push_back({id, more});
    sum += more;
  }
  for (token_probability& t : left) t.probability /= sum;
  return left;
}

} // namespace

token_id drawn_beside(const proposed_token& proposed, std::span<const token_probability> tokens, double u) {
  if (proposed.drawn_from.empty()) return drawn(tokens, u);
  const double p = probability_of(proposed.id, tokens), q = probability_of(proposed.id, proposed.drawn_from);
  const double accepted = q > 0 ? std::min(1.0, p / q) : 0;
  if (u < accepted) return proposed.id;
  const std::vector<token_probability> left = more_than(proposed.drawn_from, tokens);
  if (left.empty()) return proposed.id; // p and q are equal but for rounding
  return drawn(left, (u - accepted) / (1 - accepted));
}

void check_proposed(const char* draft, std::size_t tokens) {
  if (tokens == 0) throw error(std::string(draft) + ": expected tokens of 1 or more; found 0");
}

} // namespace fovea::core::detail
