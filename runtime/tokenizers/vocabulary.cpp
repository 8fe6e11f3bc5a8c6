#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

#include <algorithm>
#include <functional>
#include <limits>

namespace fovea::core {

std::uint32_t token_vocabulary::hash_of(std::string_view token) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(token));
}

/// The slot that holds the token, or the free one where it belongs. There must be a free slot.
std::size_t token_vocabulary::find(std::string_view spelt, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id != none && (slots_[at].hash != hash || token(slots_[at].id) != spelt))
    at = (at + 1) & mask;
  return at;
}

void token_vocabulary::grow() {
  constexpr std::size_t first_size = 1024;
  std::vector<slot> before(slots_.empty() ? first_size : 2 * slots_.size());
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const slot& entry : before) {
    if (entry.id == none) continue;
    std::size_t at = entry.hash & mask;
    while (slots_[at].id != none) at = (at + 1) & mask;
    slots_[at] = entry;
  }
}

/// The table by id is no longer than the tokens so far ask for.
token_vocabulary::spelling& token_vocabulary::spelling_of(std::size_t id) {
  if (id >= spellings_.size() && id >= most_ids()) return ahead_[id];
  if (id >= spellings_.size()) spellings_.resize(id + 1);
  const auto early = ahead_.find(id);
  return early == ahead_.end() ? spellings_[id] : early->second;
}

void token_vocabulary::check_ids() {
  if (size_ > most_ids())
    throw error("the vocabulary: expected ids of 0 to " + std::to_string(most_ids() - 1) + " for its " +
                std::to_string(used_) + " tokens; found " + std::to_string(size_ - 1));
  if (size_ > spellings_.size()) spellings_.resize(size_);
  for (const auto& [id, text] : ahead_) spellings_[id] = text;
  ahead_.clear();
}

void token_vocabulary::add(std::string_view spelt, std::int64_t id) {
  // Far above any vocabulary in use: the table by id must not grow with one absurd entry.
  constexpr std::int64_t most_tokens = std::int64_t{1} << 24;
  const auto name = [&] { return "token " + in_quotes(spelt); };
  if (spelt.empty()) throw error("token " + std::to_string(id) + ": expected a text; found an empty one");
  if (id < 0 || id >= most_tokens)
    throw error(name() + ": expected an id of 0 to " + std::to_string(most_tokens - 1) + "; found " +
                std::to_string(id));
  if (2 * (used_ + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(spelt);
  slot& place = slots_[find(spelt, hash)];
  if (place.id != none) {
    if (place.id == id) return;
    throw error(name() + " has two ids, " + std::to_string(place.id) + " and " + std::to_string(id));
  }
  const auto at = static_cast<std::size_t>(id);
  spelling& text = spelling_of(at);
  if (text.length != 0)
    throw error(name() + " and " + in_quotes(token(static_cast<token_id>(id))) + " have the same id, " +
                std::to_string(id));
  if (text_.size() + spelt.size() > std::numeric_limits<std::uint32_t>::max())
    throw error("the vocabulary's tokens have more than 4 GiB of text");
  text = {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(spelt.size())};
  text_ += spelt;
  place = {hash, static_cast<token_id>(id)};
  size_ = std::max(size_, at + 1);
  ++used_;
}

std::optional<token_id> token_vocabulary::id(std::string_view token) const {
  if (slots_.empty()) return std::nullopt;
  const slot& found = slots_[find(token, hash_of(token))];
  return found.id == none ? std::nullopt : std::optional(found.id);
}

std::string_view token_vocabulary::token(token_id id) const {
  const auto at = static_cast<std::size_t>(id);
  if (id < 0 || at >= size_) return {};
  const auto early = ahead_.empty() ? ahead_.end() : ahead_.find(at);
  const spelling text = early != ahead_.end()    ? early->second
                        : at < spellings_.size() ? spellings_[at]
                                                 : spelling();
  return std::string_view(text_).substr(text.begin, text.length);
}

} // namespace fovea::core
