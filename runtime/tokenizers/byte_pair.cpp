#include <fovea/runtime/tokenizers/byte_pair.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/byte_level.hpp>
#include <fovea/runtime/tokenizers/decoder.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <tuple>

namespace fovea::core {
namespace {

/// Words up to this length are merged by rescanning them, which beats a heap.
constexpr std::size_t short_word = 24;

/// Begins a word.
constexpr std::string_view word_mark = "\u2581";

} // namespace

byte_pair::byte_pair(const token_vocabulary& tokens, settings options)
    : tokens_(tokens), options_(std::move(options)) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool whole = options_.over == settings::unit::byte;
    const std::string spelt =
        whole ? printable_bytes({&c, 1}) : fallback_token(static_cast<unsigned char>(byte));
    byte_ids_[byte] = tokens.id(spelt).value_or(-1);
    last_byte_ids_[byte] = tokens.id(spelt + options_.word_end).value_or(-1);
  }
}

byte_pair::byte_pair(const token_vocabulary& tokens, const merge_list& merges, settings options)
    : byte_pair(tokens, options) {
  std::vector<merge> made(std::bit_ceil(2 * merges.size() + 2));
  std::uint32_t rank = 0;
  token_id likely = 0; // most merges' results have ids one behind the other
  std::string whole;
  for (const auto& [left, right] : merges) {
    const auto part = [&](const std::string& token) {
      const auto id = tokens.id(token);
      if (!id)
        throw error("merge " + std::to_string(rank) + ", " + in_quotes(left) + " and " + in_quotes(right) +
                    ": expected a token " + in_quotes(token) + " in the vocabulary");
      return *id;
    };
    const std::uint64_t pair = key(part(left), part(right));
    merge& slot = made[slot_of(made, pair)];
    if (slot.pair == pair)
      throw error("merge " + std::to_string(rank) + ", " + in_quotes(left) + " and " + in_quotes(right) +
                  ", is merge " + std::to_string(slot.rank) + " too");
    whole.assign(left).append(right);
    if (tokens.token(likely) != whole) likely = part(whole);
    slot = {pair, rank, likely++};
    ++rank;
  }
  merges_ = std::move(made);
  note_meetings();
}

byte_pair::byte_pair(const token_vocabulary& tokens, std::span<const float> scores, settings options,
                     token_trie whole)
    : byte_pair(tokens, options) {
  whole_ = std::move(whole);
  std::vector<std::size_t> order; // the ids that can be joined to, highest score first
  for (std::size_t id = 0; id < scores.size(); ++id) {
    if (scores[id] == -std::numeric_limits<float>::infinity()) {
      hidden_.resize(tokens.size());
      hidden_[id] = true;
    } else if (!std::isnan(scores[id])) {
      order.push_back(id);
    }
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t id) { return scores[id]; });

  // What stands for a unit that is no token is joined to nothing, and neither is a whole one.
  std::vector<bool> alone = hidden_;
  alone.resize(tokens.size());
  const auto set_alone = [&](token_id id) {
    if (id >= 0) alone[static_cast<std::size_t>(id)] = true;
  };
  set_alone(options.unknown.value_or(-1));
  if (options.byte_fallback) std::ranges::for_each(byte_ids_, set_alone);
  const auto part = [&](std::string_view spelt) {
    const auto id = tokens.id(spelt);
    const bool joins =
        id && !alone[static_cast<std::size_t>(*id)] && whole_.longest(spelt).second != spelt.size();
    return joins ? id : std::nullopt;
  };
  std::vector<merge> found;
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Tokens of one score are one rank: of them the leftmost pair is joined first.
    if (i > 0 && scores[order[i]] != scores[order[i - 1]]) ++rank;
    const auto result = static_cast<token_id>(order[i]);
    const std::string_view spelt = tokens.token(result);
    if (spelt.size() > longest_walked_token)
      throw error("token " + std::to_string(result) + ": expected at most " +
                  std::to_string(longest_walked_token) + " bytes; found " + std::to_string(spelt.size()));
    for (std::size_t cut = 1; cut < spelt.size(); ++cut) {
      const auto left = part(spelt.substr(0, cut));
      if (!left) continue;
      if (const auto right = part(spelt.substr(cut))) found.push_back({key(*left, *right), rank, result});
    }
  }
  std::vector<merge> made(std::bit_ceil(2 * found.size() + 2));
  for (const merge& each : found) made[slot_of(made, each.pair)] = each;
  merges_ = std::move(made);
  note_meetings();
}

byte_pair::byte_pair(const token_vocabulary& tokens, const tables& lying, settings options)
    : byte_pair(tokens, std::move(options)) {
  merges_ = lying_table<merge>(lying.merges);
  meeting_ = pair_set(lying.meetings);
  const auto is_token = [&](std::uint64_t id) { return id < tokens.size(); };
  for (const merge& each : lying.merges)
    if (each.pair != free_slot && !(is_token(each.pair >> 32) && is_token(each.pair & 0xffffffffu) &&
                                    is_token(static_cast<std::uint32_t>(each.result))))
      throw error("the merges: expected ids below " + std::to_string(tokens.size()) + "; found " +
                  std::to_string(each.pair >> 32) + " and " + std::to_string(each.pair & 0xffffffffu) +
                  ", which make " + std::to_string(each.result));
  const auto refuse = [](const char* what, std::size_t size) {
    throw error(std::string("the ") + what + ": expected a power of two of slots, one of them free; found " +
                std::to_string(size));
  };
  const std::span<const std::uint64_t> met = lying.meetings;
  if (!std::has_single_bit(merges_.size()) || std::ranges::count(lying.merges, free_slot, &merge::pair) == 0)
    refuse("merges", merges_.size());
  if (!met.empty() && (!std::has_single_bit(met.size()) || std::ranges::count(met, free_slot) == 0))
    refuse("meetings of units", met.size());
}

std::optional<byte_pair::tables> byte_pair::looked_up() const {
  const bool is_all = whole_.empty() && hidden_.empty() && options_.over != settings::unit::word;
  return is_all ? std::optional(tables{merges_.all(), meeting_.slots()}) : std::nullopt;
}

/// The units that meet where a merge joins two tokens.
void byte_pair::note_meetings() {
  constexpr std::uint32_t common = 0x800; // code points whose ids are looked up once
  constexpr token_id unknown = -1, unseen = -2;
  std::vector<token_id> seen(common, unseen);
  const auto id_of = [&](std::string_view character) {
    const std::uint32_t value = code_point_at(character, 0).value;
    if (value >= common) return tokens_.id(character).value_or(unknown);
    if (seen[value] == unseen) seen[value] = tokens_.id(character).value_or(unknown);
    return seen[value];
  };
  for (const merge& each : merges_.all()) {
    if (each.pair == free_slot) continue;
    const std::string_view left = tokens_.token(static_cast<token_id>(each.pair >> 32));
    const std::string_view right = tokens_.token(static_cast<token_id>(each.pair & 0xffffffffu));
    const token_id last = id_of(left.substr(last_code_point(left)));
    if (last == unknown) continue;
    const std::size_t character = code_point_at(right, 0).bytes;
    if (const token_id first = id_of(right.substr(0, character)); first != unknown)
      meeting_.insert(key(last, first));
    // What is one byte and the end of its word is a unit itself.
    if (right.substr(character) == options_.word_end)
      meeting_.insert(key(last, static_cast<token_id>(each.pair & 0xffffffffu)));
  }
}

byte_pair::merge_list byte_pair::merges() const {
  std::vector<merge> order;
  std::ranges::copy_if(merges_.all(), std::back_inserter(order),
                       [](const merge& m) { return m.pair != free_slot; });
  std::ranges::sort(order, {}, [](const merge& m) { return std::pair(m.rank, m.pair); });
  merge_list list;
  for (const merge& m : order)
    list.emplace_back(tokens_.token(static_cast<token_id>(m.pair >> 32)),
                      tokens_.token(static_cast<token_id>(m.pair & 0xffffffffu)));
  return list;
}

std::size_t byte_pair::slot_of(std::span<const merge> merges, std::uint64_t pair) {
  const std::size_t mask = merges.size() - 1;
  std::uint64_t hash = pair * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (merges[at].pair != pair && merges[at].pair != free_slot) at = (at + 1) & mask;
  return at;
}

const byte_pair::merge* byte_pair::find(token_id left, token_id right) const {
  const merge& found = merges_[slot_of(merges_.all(), key(left, right))];
  return found.pair == free_slot ? nullptr : &found;
}

/// False where not every byte is a token.
bool byte_pair::append_fallback(std::string_view character, std::vector<token_id>& ids) const {
  const std::size_t before = ids.size();
  for (const char c : character) {
    ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
    if (ids.back() >= 0) continue;
    ids.resize(before);
    return false;
  }
  return true;
}

/// Of the unit that begins the text.
std::size_t byte_pair::unit_length(std::string_view text) const {
  if (options_.over == settings::unit::byte) return 1;
  if (options_.over == settings::unit::word) return std::min(text.find(word_mark, 1), text.size());
  if (const std::size_t length = whole_.longest(text).second; length > 0) return length;
  return code_point_at(text, 0).bytes;
}

void byte_pair::append_units(std::string_view word, std::vector<token_id>& ids) const {
  const bool bytes = options_.over == settings::unit::byte;
  bool after_unknown = false;
  for (std::size_t at = 0; at < word.size();) {
    const std::string_view unit = word.substr(at, unit_length(word.substr(at)));
    at += unit.size();
    const auto& of_bytes = at == word.size() ? last_byte_ids_ : byte_ids_;
    token_id id = bytes ? of_bytes[static_cast<unsigned char>(unit.front())] : tokens_.id(unit).value_or(-1);
    if (id >= 0 && !hidden_.empty() && hidden_[static_cast<std::size_t>(id)]) id = -1;
    if (id >= 0) ids.push_back(id);
    const bool known = id >= 0 || (options_.byte_fallback && append_fallback(unit, ids));
    if (!known && options_.unknown && !(after_unknown && options_.fuse_unknown))
      ids.push_back(*options_.unknown);
    after_unknown = !known;
  }
}

void byte_pair::append(std::string_view word, std::vector<token_id>& ids) const {
  if (options_.ignore_merges) {
    const bool bytes = options_.over == settings::unit::byte;
    if (const auto id = bytes ? tokens_.id(printable_bytes(word) + options_.word_end) : tokens_.id(word)) {
      ids.push_back(*id);
      return;
    }
  }
  const std::size_t begin = ids.size();
  append_units(word, ids);
  if (ids.size() - begin <= short_word) {
    join(ids, begin);
    return;
  }
  // A long word comes apart where no merge joins what stands on both sides.
  const std::vector<token_id> units(ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.end());
  ids.resize(begin);
  for (std::size_t first = 0, last; first < units.size(); first = last) {
    for (last = first + 1; last < units.size() && meeting_.contains(key(units[last - 1], units[last]));)
      ++last;
    const std::size_t place = ids.size();
    ids.insert(ids.end(), units.begin() + static_cast<std::ptrdiff_t>(first),
               units.begin() + static_cast<std::ptrdiff_t>(last));
    join(ids, place);
  }
}

/// Merges the ids from `begin` on.
void byte_pair::join(std::vector<token_id>& ids, std::size_t begin) const {
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

} // namespace fovea::core
