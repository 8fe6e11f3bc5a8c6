#include <fovea/runtime/tokenizers/unigram.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/decoder.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace fovea::core {
namespace {

constexpr token_id uncovered = -1;

/// The best cut of a text's front that ends here.
struct best_cut {
  double score = -std::numeric_limits<double>::infinity();
  std::size_t begin = 0; // of its last token
  token_id id = uncovered;
};

constexpr double never = -std::numeric_limits<double>::infinity(); // the score of what covers nothing

token_trie trie_of(const token_vocabulary& tokens, std::span<const double> scores) {
  std::vector<std::pair<std::string_view, token_id>> covering;
  for (token_id id = 0; id < static_cast<token_id>(scores.size()); ++id) {
    const std::string_view token = tokens.token(id);
    if (scores[static_cast<std::size_t>(id)] == never || token.empty()) continue;
    if (token.size() > longest_walked_token)
      throw error("token " + std::to_string(id) + ": expected at most " +
                  std::to_string(longest_walked_token) + " bytes; found " + std::to_string(token.size()));
    covering.emplace_back(token, id);
  }
  return token_trie(covering);
}

} // namespace

unigram::unigram(const token_vocabulary& tokens, std::vector<double> scores, settings options)
    : unigram(tokens, lying_table(scores), trie_of(tokens, scores), options) {}

unigram::unigram(const token_vocabulary& tokens, std::span<const double> lying, token_trie trie,
                 settings options)
    : unigram(tokens, lying_table<double>(lying), std::move(trie), options) {
  trie_.expect_depth(longest_walked_token);
}

unigram::unigram(const token_vocabulary& tokens, lying_table<double> scores, token_trie trie,
                 settings options)
    : scores_(std::move(scores)), options_(options), trie_(std::move(trie)) {
  constexpr double penalty = 10;
  double least = -never;
  for (std::size_t id = 0; id < scores_.size(); ++id) {
    const double score = scores_[id];
    const std::string_view token = tokens.token(static_cast<token_id>(id));
    if (score == never || token.empty()) continue;
    if (!std::isfinite(score))
      throw error("token " + in_quotes(token) + ": expected a score that is a number; found " +
                  std::to_string(score));
    least = std::min(least, score);
  }
  uncovered_score_ = options_.uncovered_score ? *options_.uncovered_score : least - penalty;
  if (options_.byte_fallback) {
    for (std::size_t byte = 0; byte < fallback_ids_.size(); ++byte) {
      const std::string name = fallback_token(static_cast<unsigned char>(byte));
      const auto id = tokens.id(name);
      if (!id) throw error("byte_fallback: expected a token '" + name + "' in the vocabulary");
      fallback_ids_[byte] = *id;
    }
  }
}

void unigram::append_uncovered(std::string_view characters, std::vector<token_id>& ids) const {
  if (options_.byte_fallback) {
    for (const char c : characters) ids.push_back(fallback_ids_[static_cast<unsigned char>(c)]);
    return;
  }
  if (!options_.unknown)
    throw error("text: no token covers " + in_quotes(characters) +
                ", and the vocabulary has no unknown token");
  ids.push_back(*options_.unknown);
}

void unigram::append(std::string_view word, std::vector<token_id>& ids) const {
  const auto rounded = [single = options_.single_precision](double sum) {
    return single ? static_cast<double>(static_cast<float>(sum)) : sum;
  };
  std::vector<best_cut> cuts(word.size() + 1);
  cuts[0].score = 0;
  for (std::size_t begin = 0; begin < word.size();) {
    const double before = cuts[begin].score;
    const auto extend = [&](std::size_t end, double sum, token_id id) {
      sum = rounded(sum);
      if (sum > cuts[end].score) cuts[end] = {sum, begin, id};
    };
    const std::size_t next = begin + code_point_at(word, begin).bytes;
    bool covered = false;
    auto place = token_trie::root;
    for (std::size_t end = begin; end < word.size();) {
      place = trie_.next(place, word[end++]);
      if (place == token_trie::nowhere) break;
      if (const token_id id = trie_.token(place); id != token_trie::no_token) {
        extend(end, before + scores_[static_cast<std::size_t>(id)], id);
        covered |= end == next;
      }
    }
    if (!covered) extend(next, before + uncovered_score_, uncovered);
    begin = next;
  }

  std::vector<std::pair<std::size_t, token_id>> pieces; // ends and ids, last first
  for (std::size_t end = word.size(); end > 0; end = cuts[end].begin) {
    const token_id id = cuts[end].id;
    // Neighbouring characters without a token are one piece.
    if (id != uncovered || pieces.empty() || pieces.back().second != uncovered) pieces.emplace_back(end, id);
  }
  std::size_t begin = 0;
  std::ranges::reverse(pieces);
  for (const auto& [end, id] : pieces) {
    if (id == uncovered)
      append_uncovered(word.substr(begin, end - begin), ids);
    else
      ids.push_back(id);
    begin = end;
  }
}

} // namespace fovea::core
