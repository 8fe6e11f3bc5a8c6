#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <fovea/runtime/error.hpp>

namespace fovea {

void vocabulary::add(const std::string& token, std::int64_t id) {
  // Far above any vocabulary in use; an id beyond it would make the table of tokens a denial of service.
  constexpr std::int64_t most_tokens = std::int64_t{1} << 24;
  if (id < 0 || id >= most_tokens)
    throw error("token '" + token + "': expected an id of 0 to " + std::to_string(most_tokens - 1) +
                "; found " + std::to_string(id));
  const auto [place, added] = ids_.emplace(token, static_cast<token_id>(id));
  if (!added) {
    if (place->second == id) return;
    throw error("token '" + token + "' has two ids, " + std::to_string(place->second) + " and " +
                std::to_string(id));
  }
  const auto at = static_cast<std::size_t>(id);
  if (at >= tokens_.size()) tokens_.resize(at + 1);
  if (!tokens_[at].empty())
    throw error("tokens '" + tokens_[at] + "' and '" + token + "' have the same id, " + std::to_string(id));
  tokens_[at] = token;
}

const std::string& vocabulary::token(token_id id) const {
  static const std::string none;
  const auto at = static_cast<std::size_t>(id);
  return id >= 0 && at < tokens_.size() ? tokens_[at] : none;
}

} // namespace fovea
