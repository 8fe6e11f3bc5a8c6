#include <fovea/runtime/tokenizers/word_piece.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <utility>

namespace fovea::core {

namespace {

token_trie trie_of(const token_vocabulary& tokens, std::size_t longest_word) {
  std::vector<std::pair<std::string_view, token_id>> spelt;
  spelt.reserve(tokens.size());
  for (token_id token = 0; token < static_cast<token_id>(tokens.size()); ++token) {
    const std::string_view text = tokens.token(token);
    if (text.empty()) continue;
    if (text.size() > longest_walked_token && longest_word > longest_walked_token)
      throw error("token " + std::to_string(token) + ": expected at most " +
                  std::to_string(longest_walked_token) + " bytes where a word may have " +
                  std::to_string(longest_word) + " characters; found " + std::to_string(text.size()));
    spelt.emplace_back(text, token);
  }
  return token_trie(spelt);
}

} // namespace

word_piece::word_piece(const token_vocabulary& tokens, const std::string& unknown, std::string continuation,
                       std::size_t longest_word)
    : word_piece(tokens, trie_of(tokens, longest_word), unknown, std::move(continuation), longest_word) {}

word_piece::word_piece(const token_vocabulary& tokens, token_trie trie, const std::string& unknown,
                       std::string continuation, std::size_t longest_word)
    : continuation_(std::move(continuation)), longest_word_(longest_word), trie_(std::move(trie)) {
  const auto id = tokens.id(unknown);
  if (!id) throw error("the unknown token " + in_quotes(unknown) + " is not in the vocabulary");
  if (longest_word > longest_walked_token) trie_.expect_depth(longest_walked_token);
  unknown_ = *id;
  continued_ = trie_.next(token_trie::root, continuation_);
}

void word_piece::append(std::string_view word, std::vector<token_id>& ids) const {
  const std::size_t before = ids.size();
  const auto code_points = std::ranges::count_if(word, [](char c) { return !continues_code_point(c); });
  if (static_cast<std::size_t>(code_points) > longest_word_) {
    ids.push_back(unknown_);
    return;
  }
  for (std::size_t begin = 0; begin < word.size();) {
    token_id found = token_trie::no_token;
    std::size_t found_end = begin;
    auto place = begin == 0 ? token_trie::root : continued_;
    for (std::size_t end = begin; end < word.size() && place != token_trie::nowhere;) {
      place = trie_.next(place, word[end++]);
      if (place == token_trie::nowhere || trie_.token(place) == token_trie::no_token) continue;
      found = trie_.token(place);
      found_end = end;
    }
    if (found == token_trie::no_token) {
      ids.resize(before);
      ids.push_back(unknown_);
      return;
    }
    ids.push_back(found);
    begin = found_end;
  }
}

} // namespace fovea::core
