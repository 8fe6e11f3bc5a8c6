#pragma once

#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::core {

/// Tokens as a trie: one walk along a text finds every token that begins it. The nodes lie level by level, so
/// that a node's children stand side by side, in the order of their bytes.
class token_trie {
public:
  using place = std::uint32_t;
  static constexpr place root = 0, nowhere = ~place{0};
  static constexpr token_id no_token = -1;

  /// Without tokens.
  token_trie() : token_trie(std::vector<std::pair<std::string_view, token_id>>()) {}
  /// Tokens and their ids, none of them empty or there twice, in any order.
  explicit token_trie(const std::vector<std::pair<std::string_view, token_id>>& given);

  /// Where a byte leads, `nowhere` where no token goes on with it.
  place next(place from, char byte) const;
  place next(place from, std::string_view bytes) const;
  /// Where single bytes lead, from a first place to behind a last; each place's byte leads to it.
  std::pair<place, place> children(place from) const { return {children_[from], children_[from + 1]}; }
  unsigned char byte(place at) const { return bytes_[at]; }
  /// The token that ends there, or no_token.
  token_id token(place at) const { return tokens_[at]; }
  /// The longest token that begins the text, and its length; no_token and 0 where none does.
  std::pair<token_id, std::size_t> longest(std::string_view text) const;

  bool empty() const { return tokens_.size() == 1; }

private:
  std::vector<unsigned char> bytes_; // that lead to a node
  std::vector<place> children_;      // a node's first child; the next node's first child ends them
  std::vector<token_id> tokens_;
};

/// What a walk along a text may cost for each of its bytes is bounded by this length of a token.
constexpr std::size_t longest_walked_token = 1024;

} // namespace fovea::core
