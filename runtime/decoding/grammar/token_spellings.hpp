#pragma once

#include <fovea/runtime/tokenizers/token_trie.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea::core::grammar {

/// The bytes that each token adds to a text when it is decoded, and the trie of them. Special tokens and those that no id
/// has add none.
class spelled_tokens {
public:
  /// `first`: as they begin a text.
  spelled_tokens(const tokenizer& words, bool first);

  std::size_t size() const { return begins_.size() - 1; }
  std::string_view bytes(token_id id) const {
    const auto at = static_cast<std::size_t>(id);
    return std::string_view(text_).substr(begins_[at], begins_[at + 1] - begins_[at]);
  }
  const token_trie& trie() const { return trie_; }
  /// The next token that is spelled alike, or token_trie::no_token; the trie has the first.
  token_id alike(token_id id) const {
    return has_alike_[static_cast<std::size_t>(id)] ? alike_.at(id) : token_trie::no_token;
  }

private:
  std::string text_;
  std::vector<std::uint32_t> begins_;
  std::vector<bool> has_alike_; // most have none: a walk of the trie asks this, which is small
  std::unordered_map<token_id, token_id> alike_;
  token_trie trie_;
};

} // namespace fovea::core::grammar

namespace fovea::core {

/// What the tokens of a tokenizer add to a text, for token_grammar; a cheap handle to immutable, shared state, made once
/// for all grammars.
class token_spellings {
public:
  explicit token_spellings(const tokenizer& words);

  /// As they begin a text, where some lose their space, and as they stand behind another.
  const grammar::spelled_tokens& of(bool first) const { return first ? *first_ : *later_; }
  bool differ() const { return first_ != later_; }

private:
  std::shared_ptr<const grammar::spelled_tokens> first_, later_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::token_spellings;
} // namespace fovea
