#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

namespace fovea::core {
namespace {

/// All bits of the result depend on all of the number (the last step of MurmurHash3).
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 33) * 0xff51afd7ed558ccdu;
  number = (number ^ number >> 33) * 0xc4ceb9fe1a85ec53u;
  return number ^ number >> 33;
}

} // namespace

/// One that files may hold: std::hash differs from library to library.
std::uint32_t token_vocabulary::hash_of(std::string_view token) {
  std::uint64_t hash = token.size();
  for (std::size_t at = 0; at < token.size();) {
    std::uint64_t part = 0; // of eight bytes
    for (const std::size_t end = std::min(at + sizeof part, token.size()); at < end; ++at)
      part = part << 8 | static_cast<unsigned char>(token[at]);
    hash = mixed(hash ^ part);
  }
  return static_cast<std::uint32_t>(hash);
}

token_vocabulary::token_vocabulary(const tables& lying)
    : text_(lying.text), spellings_(lying.spellings), size_(lying.spellings.size()), slots_(lying.slots) {
  const std::string_view text(lying.text.data(), lying.text.size());
  check_utf8(text);
  const auto begins_character = [&](std::size_t at) {
    return at == text.size() || !continues_code_point(text[at]);
  };
  for (std::size_t id = 0; id < size_; ++id) {
    const auto [begin, length] = spellings_[id];
    const std::uint64_t end = std::uint64_t{begin} + length;
    if (end > text.size() || !begins_character(begin) || !begins_character(static_cast<std::size_t>(end)))
      throw error("token " + std::to_string(id) + ": expected whole characters of " +
                  std::to_string(text.size()) + " bytes; found bytes " + std::to_string(begin) + " to " +
                  std::to_string(end));
  }
  for (const slot& one : lying.slots) {
    if (one.id == none) continue;
    if (one.id < 0 || static_cast<std::size_t>(one.id) >= size_)
      throw error("the vocabulary: expected ids below " + std::to_string(size_) + " in its slots; found " +
                  std::to_string(one.id));
    ++used_;
  }
  if (!std::has_single_bit(slots_.size()) || 2 * used_ > slots_.size())
    throw error("the vocabulary: expected a power of two of slots, at most half of them used; found " +
                std::to_string(used_) + " used of " + std::to_string(slots_.size()));
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
  std::vector<slot> grown(std::max(first_size, 2 * slots_.size()));
  const std::size_t mask = grown.size() - 1;
  for (const slot& entry : slots_.all()) {
    if (entry.id == none) continue;
    std::size_t at = entry.hash & mask;
    while (grown[at].id != none) at = (at + 1) & mask;
    grown[at] = entry;
  }
  slots_ = std::move(grown);
}

token_vocabulary::spelling token_vocabulary::spelling_of(std::size_t id) const {
  const auto early = ahead_.empty() ? ahead_.end() : ahead_.find(id);
  if (early != ahead_.end()) return early->second;
  return id < spellings_.size() ? spellings_[id] : spelling();
}

/// The table by id is no longer than the tokens so far ask for.
void token_vocabulary::spell(std::size_t id, spelling text) {
  if (id >= spellings_.size() && id >= most_ids())
    ahead_[id] = text;
  else
    spellings_.change([&](auto& all) {
      all.resize(std::max(all.size(), id + 1));
      all[id] = text;
    });
}

void token_vocabulary::check_ids() {
  if (size_ > most_ids())
    throw error("the vocabulary: expected ids of 0 to " + std::to_string(most_ids() - 1) + " for its " +
                std::to_string(used_) + " tokens; found " + std::to_string(size_ - 1));
  if (size_ == spellings_.size() && ahead_.empty()) return;
  spellings_.change([&](auto& all) {
    all.resize(size_);
    for (const auto& [id, text] : ahead_) all[id] = text;
  });
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
  const std::uint32_t hash = hash_of(spelt);
  if (const std::optional<token_id> known = id_of(spelt, hash)) {
    if (*known == id) return;
    throw error(name() + " has two ids, " + std::to_string(*known) + " and " + std::to_string(id));
  }
  const auto at = static_cast<std::size_t>(id);
  if (const std::string_view taken = token(static_cast<token_id>(id)); !taken.empty())
    throw error(name() + " and " + in_quotes(taken) + " have the same id, " + std::to_string(id));
  if (text_.size() + spelt.size() > std::numeric_limits<std::uint32_t>::max())
    throw error("the vocabulary's tokens have more than 4 GiB of text");
  if (2 * (used_ + 1) > slots_.size()) grow();
  spell(at, {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(spelt.size())});
  text_.change([&](auto& all) { all.insert(all.end(), spelt.begin(), spelt.end()); });
  slots_.change([&, place = find(spelt, hash)](auto& all) {
    all[place] = {hash, static_cast<token_id>(id)};
  });
  size_ = std::max(size_, at + 1);
  ++used_;
}

std::optional<token_id> token_vocabulary::id_of(std::string_view spelt, std::uint32_t hash) const {
  if (slots_.size() == 0) return std::nullopt;
  const slot& found = slots_[find(spelt, hash)];
  return found.id == none ? std::nullopt : std::optional(found.id);
}

std::optional<token_id> token_vocabulary::id(std::string_view token) const {
  return id_of(token, hash_of(token));
}

std::string_view token_vocabulary::token(token_id id) const {
  const auto at = static_cast<std::size_t>(id);
  if (id < 0 || at >= size_) return {};
  const spelling text = ahead_.empty() ? spellings_[at] : spelling_of(at);
  return {text_.data() + text.begin, text.length};
}

} // namespace fovea::core
