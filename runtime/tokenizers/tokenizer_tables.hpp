#pragma once

#include <fovea/runtime/tokenizers/byte_pair.hpp>
#include <fovea/runtime/tokenizers/token_trie.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace fovea::core {

/// All that a tokenizer looks up in: the vocabulary, and what its model has of it.
struct tokenizer_tables {
  token_vocabulary::tables tokens = {};
  byte_pair::tables pairs = {};            // of BPE
  token_trie::tables trie = {};            // of WordPiece and Unigram
  std::span<const double> scores = {};     // of Unigram
  std::shared_ptr<const void> holder = {}; // of what they lie in

  /// f(name, table) of each, by the name of its tensor in a file of packed weights.
  template <typename F>
  void for_each(F f) {
    f("tokenizer.vocabulary.text", tokens.text);
    f("tokenizer.vocabulary.spellings", tokens.spellings);
    f("tokenizer.vocabulary.slots", tokens.slots);
    f("tokenizer.merges", pairs.merges);
    f("tokenizer.meetings", pairs.meetings);
    f("tokenizer.trie.bytes", trie.bytes);
    f("tokenizer.trie.children", trie.children);
    f("tokenizer.trie.tokens", trie.tokens);
    f("tokenizer.scores", scores);
  }
};

/// The tokenizer of a tokenizer.json without vocabulary and merges, and of such tables. Throws fovea::error, without the name
/// of a file, where they do not fit.
tokenizer parse_tokenizer(std::string_view stages, const tokenizer_tables& tables);

} // namespace fovea::core
