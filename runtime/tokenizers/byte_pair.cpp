#include <fovea/runtime/tokenizers/byte_pair.hpp>

#include <fovea/runtime/error.hpp>
#include <fovea/runtime/tokenizers/byte_level.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <tuple>

namespace fovea {
namespace {

/// Words up to this length are merged by rescanning them, which beats a heap.
constexpr std::size_t short_word = 24;

} // namespace

byte_pair::byte_pair(const vocabulary& tokens, const std::vector<std::pair<std::string, std::string>>& merges,
                     settings options)
    : tokens_(tokens), options_(options) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    byte_ids_[byte] = tokens.id(printable_bytes({&c, 1})).value_or(-1);
  }
  merges_.resize(std::bit_ceil(2 * merges.size() + 2));
  std::uint32_t rank = 0;
  for (const auto& [left, right] : merges) {
    const auto part = [&](const std::string& token) {
      const auto id = tokens.id(token);
      if (!id)
        throw error("merge " + std::to_string(rank) + ", '" + left + "' and '" + right +
                    "': expected a token '" + token + "' in the vocabulary");
      return *id;
    };
    const std::uint64_t pair = key(part(left), part(right));
    merge& slot = merges_[slot_of(pair)];
    if (slot.pair == pair)
      throw error("merge " + std::to_string(rank) + ", '" + left + "' and '" + right + "', is merge " +
                  std::to_string(slot.rank) + " too");
    slot = {pair, rank, part(left + right)};
    ++rank;
  }
}

std::size_t byte_pair::slot_of(std::uint64_t pair) const {
  const std::size_t mask = merges_.size() - 1;
  std::uint64_t hash = pair * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (merges_[at].pair != pair && merges_[at].pair != free_slot) at = (at + 1) & mask;
  return at;
}

const byte_pair::merge* byte_pair::find(token_id left, token_id right) const {
  const merge& found = merges_[slot_of(key(left, right))];
  return found.pair == free_slot ? nullptr : &found;
}

void byte_pair::append_bytes(std::string_view word, std::vector<token_id>& ids) const {
  bool after_unknown = false;
  for (const char c : word) {
    const token_id id = byte_ids_[static_cast<unsigned char>(c)];
    const bool unknown = id < 0;
    if (!unknown) {
      ids.push_back(id);
    } else if (options_.unknown && !(after_unknown && options_.fuse_unknown)) {
      ids.push_back(*options_.unknown);
    }
    after_unknown = unknown;
  }
}

void byte_pair::append(std::string_view word, std::vector<token_id>& ids) const {
  if (options_.ignore_merges)
    if (const auto id = tokens_.id(printable_bytes(word))) {
      ids.push_back(*id);
      return;
    }
  const std::size_t begin = ids.size();
  append_bytes(word, ids);

  if (ids.size() - begin <= short_word) {
    for (;;) {
      const merge* best = nullptr;
      std::size_t place = 0;
      for (std::size_t i = begin; i + 1 < ids.size(); ++i)
        if (const merge* found = find(ids[i], ids[i + 1]); found && (!best || found->rank < best->rank)) {
          best = found;
          place = i;
        }
      if (!best) return;
      ids[place] = best->result;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    }
  }

  // A doubly linked list over the ids and a heap of candidate merges; a candidate whose pair has changed
  // since is dropped.
  constexpr token_id gone = -1;
  const std::size_t count = ids.size() - begin;
  const std::size_t none = count;
  token_id* id = ids.data() + begin;
  std::vector<std::size_t> previous(count), next(count);
  for (std::size_t i = 0; i < count; ++i) {
    previous[i] = i == 0 ? none : i - 1;
    next[i] = i + 1;
  }
  using candidate = std::tuple<std::uint32_t, std::size_t, std::uint64_t>; // rank, place, pair
  std::priority_queue<candidate, std::vector<candidate>, std::greater<>> heap;
  const auto consider = [&](std::size_t place) {
    if (place == none || next[place] == none) return;
    if (const merge* found = find(id[place], id[next[place]])) heap.emplace(found->rank, place, found->pair);
  };
  for (std::size_t i = 0; i < count; ++i) consider(i);
  while (!heap.empty()) {
    const auto [rank, place, pair] = heap.top();
    heap.pop();
    if (id[place] == gone || next[place] == none || key(id[place], id[next[place]]) != pair) continue;
    const std::size_t right = next[place];
    id[place] = find(id[place], id[right])->result;
    id[right] = gone;
    next[place] = next[right];
    if (next[place] != none) previous[next[place]] = place;
    consider(previous[place]);
    consider(place);
  }
  ids.erase(std::remove(ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.end(), gone), ids.end());
}

} // namespace fovea
