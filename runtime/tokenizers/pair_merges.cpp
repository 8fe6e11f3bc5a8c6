#include <fovea/runtime/tokenizers/pair_merges.hpp>

#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace fovea::core {
namespace {

using pair_key = std::uint64_t; // in the order of (left, right)

pair_key key_of(token_id left, token_id right) {
  return pair_key{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

/// A pair with its count when it was queued, and the words that held it then.
struct candidate {
  std::int64_t count;
  pair_key pair;
  std::vector<std::size_t> words;

  bool operator<(const candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class merge_learner {
public:
  merge_learner(std::vector<std::string> tokens, const merge_training& how)
      : tokens_(std::move(tokens)), how_(how) {
    for (std::size_t id = 0; id < tokens_.size(); ++id) ids_.emplace(tokens_[id], static_cast<token_id>(id));
  }

  learnt_merges learn(const counted_words& words) {
    cut(words);
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (std::size_t i = 0; i + 1 < words_[word].size(); ++i)
        count(key_of(words_[word][i], words_[word][i + 1]), +1, word);
    queue_changes();
    while (tokens_.size() < how_.size && !queue_.empty()) {
      candidate top = take_first();
      // Counts that have changed since put a pair back in its place.
      if (const std::int64_t now = pair_counts_[top.pair]; now != top.count) {
        top.count = now;
        enqueue(std::move(top));
        continue;
      }
      if (top.count < 1 || static_cast<std::size_t>(top.count) < how_.minimum_count) break;
      join(top);
      if (how_.progress) how_.progress(tokens_.size(), how_.size);
    }
    return {std::move(tokens_), last_of_each()};
  }

private:
  token_id id_of(const std::string& token) {
    const auto [place, added] = ids_.emplace(token, static_cast<token_id>(tokens_.size()));
    if (added) tokens_.push_back(token);
    return place->second;
  }

  void cut(const counted_words& words) {
    for (const auto& [word, occurrences] : words) {
      std::vector<token_id>& units = words_.emplace_back();
      occurrences_.push_back(static_cast<std::int64_t>(occurrences));
      for (std::size_t at = 0; at < word.size();) {
        const std::string character = word.substr(at, code_point_at(word, at).bytes);
        if (ids_.contains(character))
          units.push_back(id_of(at == 0 ? character : how_.continuation + character));
        at += character.size();
      }
    }
  }

  void count(pair_key pair, int change, std::size_t word) {
    pair_counts_[pair] += change * occurrences_[word];
    if (change < 0) return;
    std::vector<std::size_t>& where = changes_[pair];
    if (where.empty() || where.back() != word) where.push_back(word);
  }

  void enqueue(candidate pair) {
    queue_.push_back(std::move(pair));
    std::push_heap(queue_.begin(), queue_.end());
  }

  candidate take_first() {
    std::pop_heap(queue_.begin(), queue_.end());
    candidate first = std::move(queue_.back());
    queue_.pop_back();
    return first;
  }

  void queue_changes() {
    for (auto& [pair, where] : changes_)
      if (const std::int64_t occurrences = pair_counts_[pair]; occurrences > 0)
        enqueue({occurrences, pair, std::move(where)});
    changes_.clear();
  }

  void join(const candidate& top) {
    const auto left = static_cast<token_id>(top.pair >> 32);
    const auto right = static_cast<token_id>(top.pair & 0xffffffffu);
    std::string_view tail = tokens_[static_cast<std::size_t>(right)];
    if (tail.starts_with(how_.continuation)) tail.remove_prefix(how_.continuation.size());
    const token_id joined = id_of(tokens_[static_cast<std::size_t>(left)] + std::string(tail));
    pairs_.push_back(top.pair);
    for (const std::size_t word : top.words) {
      std::vector<token_id>& units = words_[word];
      for (std::size_t i = 0; i + 1 < units.size(); ++i) {
        if (units[i] != left || units[i + 1] != right) continue;
        if (i > 0) {
          count(key_of(units[i - 1], left), -1, word);
          count(key_of(units[i - 1], joined), +1, word);
        }
        units[i] = joined;
        units.erase(units.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        if (i + 1 < units.size()) {
          count(key_of(right, units[i + 1]), -1, word);
          count(key_of(joined, units[i + 1]), +1, word);
        }
      }
    }
    queue_changes();
  }

  /// A pair is joined anew where another merge has brought it about again; it counts from then.
  std::vector<std::pair<token_id, token_id>> last_of_each() const {
    std::unordered_map<pair_key, std::size_t> last;
    for (std::size_t i = 0; i < pairs_.size(); ++i) last[pairs_[i]] = i;
    std::vector<std::pair<token_id, token_id>> result;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      if (last[pairs_[i]] == i)
        result.emplace_back(static_cast<token_id>(pairs_[i] >> 32),
                            static_cast<token_id>(pairs_[i] & 0xffffffffu));
    return result;
  }

  std::vector<std::string> tokens_;
  const merge_training& how_;
  std::unordered_map<std::string, token_id> ids_;
  std::vector<std::vector<token_id>> words_;
  std::vector<std::int64_t> occurrences_; // of each word
  std::unordered_map<pair_key, std::int64_t> pair_counts_;
  std::unordered_map<pair_key, std::vector<std::size_t>>
      changes_;                  // pairs that came about, and in which words
  std::vector<candidate> queue_; // a heap
  std::vector<pair_key> pairs_;  // joined
};

} // namespace

learnt_merges learn_merges(const counted_words& words, std::vector<std::string> tokens,
                           const merge_training& how) {
  return merge_learner(std::move(tokens), how).learn(words);
}

} // namespace fovea::core
