#include <fovea/runtime/decoding/grammar/token_grammar.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fovea::core {
namespace {

using state = grammar::states::state;
using place = token_trie::place;

constexpr float impossible = -std::numeric_limits<float>::infinity();
constexpr std::size_t most_bytes = std::size_t{1} << 26; // that are kept
constexpr std::size_t bits = 64;

/// What is added to the scores of four tokens, by the four bits that allow them.
constexpr std::array<std::array<float, 4>, 16> penalties = [] {
  std::array<std::array<float, 4>, 16> made{};
  for (std::size_t allowed = 0; allowed < made.size(); ++allowed)
    for (std::size_t i = 0; i < 4; ++i) made[allowed][i] = (allowed >> i & 1) != 0 ? 0 : impossible;
  return made;
}();

/// Ids, a bit each.
class id_set {
public:
  explicit id_set(std::size_t ids) : words_((ids + bits - 1) / bits) {}

  void add(token_id id) { words_[static_cast<std::size_t>(id) / bits] |= bit(id); }
  void remove(token_id id) { words_[static_cast<std::size_t>(id) / bits] &= ~bit(id); }
  bool empty() const {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
  }
  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  std::size_t size() const { return words_.size() * bits; }
  bool contains(std::size_t id) const { return (words_[id / bits] >> id % bits & 1) != 0; }

  /// Takes away the scores of all others.
  void apply(std::span<float> scores) const {
    const std::size_t known = std::min(size(), scores.size()), whole = known / bits;
    for (std::size_t i = 0; i < whole; ++i) {
      const std::span<float, bits> of_word = scores.subspan(i * bits).first<bits>();
      if (words_[i] == 0)
        std::ranges::fill(of_word, impossible);
      else if (words_[i] != ~std::uint64_t{0})
        add_penalties(words_[i], of_word);
    }
    for (std::size_t id = whole * bits; id < known; ++id)
      if (!contains(id)) scores[id] = impossible;
    std::ranges::fill(scores.subspan(known), impossible);
  }

private:
  static void add_penalties(std::uint64_t word, std::span<float, bits> scores) {
    for (std::size_t i = 0; i < bits; i += 4, word >>= 4) {
      const std::array<float, 4>& penalty = penalties[word & 15];
      for (std::size_t k = 0; k < 4; ++k) scores[i + k] += penalty[k];
    }
  }
  static std::uint64_t bit(token_id id) { return std::uint64_t{1} << static_cast<std::size_t>(id) % bits; }
  std::vector<std::uint64_t> words_;
};

} // namespace

struct token_grammar::shared {
  grammar::states states;
  token_spellings spelled;
  token_ids end;
  std::unordered_map<state, id_set> first{}, later{}; // that may come, as a text's first and behind others
  std::size_t kept = 0;                               // bytes of both
  std::size_t forgotten = 0;                          // how often
  std::vector<float> scores{};                        // of a row
  std::vector<std::pair<place, state>> level{}, below{};

  /// Where the written text stands; nowhere behind an end.
  state at(std::span<const token_id> written, reading& last) {
    const bool goes_on = !last.ids.empty() && last.forgotten == forgotten &&
                         last.ids.size() <= written.size() &&
                         std::ranges::equal(last.ids, written.first(last.ids.size()));
    const std::size_t known = goes_on ? last.ids.size() : 0;
    const state now = read(goes_on ? last.at : states.start(), written, known);
    last.ids.assign(written.begin(), written.end());
    last.at = now, last.forgotten = forgotten;
    return now;
  }

  /// Begins anew where much is kept, and gives back what `now` is from then on.
  state with_room(state now) {
    if (states.bytes() + kept <= most_bytes) return now;
    first.clear(), later.clear();
    kept = 0;
    ++forgotten;
    return states.forget_others(now);
  }

  /// Where tokens lead, the first `known` of which led to `now`.
  state read(state now, std::span<const token_id> written, std::size_t known) {
    for (std::size_t i = known; i < written.size() && now != grammar::states::nowhere; ++i) {
      now = with_room(now);
      states.begin_work();
      const token_id id = written[i];
      if (std::ranges::find(end, id) != end.end()) return grammar::states::nowhere;
      const grammar::spelled_tokens& tokens = spelled.of(i == 0);
      if (std::in_range<std::size_t>(id) && static_cast<std::size_t>(id) < tokens.size())
        for (const char byte : tokens.bytes(id)) now = states.next(now, static_cast<unsigned char>(byte));
      else
        now = grammar::states::nowhere;
      if (now == grammar::states::nowhere)
        throw error("grammar: expected tokens that it allows; found token " + std::to_string(id) +
                    " at place " + std::to_string(i) + " of the text");
    }
    return now;
  }

  const id_set& from(state at, bool is_first) {
    auto& known = is_first && spelled.differ() ? first : later;
    const auto found = known.find(at);
    if (found != known.end()) return found->second;
    id_set made = walked(at, spelled.of(is_first));
    if (made.empty())
      throw error(
          "grammar: expected a token of the vocabulary that goes on with the text as it asks; found none");
    kept += made.bytes();
    return known.emplace(at, std::move(made)).first->second;
  }

  /// All places of the trie that the grammar leads to, level by level.
  id_set walked(state from, const grammar::spelled_tokens& tokens) {
    states.begin_work();
    const token_trie& trie = tokens.trie();
    id_set made(tokens.size());
    level.assign(1, {token_trie::root, from});
    for (; !level.empty(); level.swap(below)) {
      below.clear();
      for (const auto& [node, at] : level) {
        const auto [begin, behind] = trie.children(node);
        for (place child = begin; child < behind; ++child) {
          const state to = states.next(at, trie.byte(child));
          if (to == grammar::states::nowhere) continue;
          below.emplace_back(child, to);
          for (token_id id = trie.token(child); id != token_trie::no_token; id = tokens.alike(id))
            made.add(id);
        }
      }
    }
    for (const token_id id : end) {
      if (!std::in_range<std::size_t>(id) || static_cast<std::size_t>(id) >= made.size()) continue;
      if (states.may_end(from))
        made.add(id);
      else
        made.remove(id);
    }
    return made;
  }

  void filter(std::span<const token_id> written, std::span<float> changed, reading& last) {
    if (const state now = at(written, last); now != grammar::states::nowhere)
      from(now, written.empty()).apply(changed);
  }
};

token_grammar::token_grammar(byte_grammar says, token_spellings spelled, token_ids end, std::size_t prompt)
    : shared_(std::make_shared<shared>(
          shared{grammar::states(std::move(says)), std::move(spelled), std::move(end)})),
      prompt_(prompt) {}

void token_grammar::operator()(std::span<const token_id> read, std::span<float> scores) {
  if (read.size() >= prompt_) shared_->filter(read.subspan(prompt_), scores, last_);
}

token_scores token_grammar::allowed(const token_scores& scores, std::size_t row,
                                    std::span<const token_id> written) {
  const std::span<const float> given = scores.last(row);
  shared_->scores.assign(given.begin(), given.end());
  shared_->filter(written, shared_->scores, last_);
  return {shared_->scores.data(), 1, 1, given.size()};
}

token_ids token_grammar::allowed(std::span<const token_id> written) {
  token_ids made;
  const state now = shared_->at(written, last_);
  if (now == grammar::states::nowhere) return made;
  const id_set& ids = shared_->from(now, written.empty());
  for (std::size_t id = 0; id < ids.size(); ++id)
    if (ids.contains(id)) made.push_back(static_cast<token_id>(id));
  return made;
}

bool token_grammar::may_end(std::span<const token_id> written) {
  const state now = shared_->at(written, last_);
  return now == grammar::states::nowhere || shared_->states.may_end(now);
}

bool token_grammar::has_to_end(std::span<const token_id> written) {
  return !shared_->states.may_go_on(shared_->at(written, last_));
}

} // namespace fovea::core
