#pragma once

#include <fovea/runtime/tokenizers/token_trie.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// WordPiece (Schuster and Nakajima 2012, in BERT's greedy form): the longest token that begins the word,
/// then the longest continuation, and so on. A word that can't be covered, or is too long, is one unknown
/// token.
class word_piece {
public:
  /// Throws fovea::error when `unknown` is no token, and where both a token has more than 1,024 bytes and
  /// `longest_word` is greater: the smaller of the two bounds what each byte of a text costs.
  word_piece(const token_vocabulary& tokens, const std::string& unknown, std::string continuation,
             std::size_t longest_word);
  /// With the trie of all tokens, which is there already.
  word_piece(const token_vocabulary& tokens, token_trie trie, const std::string& unknown,
             std::string continuation, std::size_t longest_word);

  /// Appends the ids of one word, which is valid UTF-8.
  void append(std::string_view word, std::vector<token_id>& ids) const;

  token_id unknown() const { return unknown_; }
  const std::string& continuation() const { return continuation_; }
  std::size_t longest_word() const { return longest_word_; }
  const token_trie& trie() const { return trie_; }

private:
  token_id unknown_;
  std::string continuation_; // "##"
  std::size_t longest_word_; // in code points
  token_trie trie_;
  token_trie::place continued_ = token_trie::nowhere; // behind the continuation
};

} // namespace fovea::core
