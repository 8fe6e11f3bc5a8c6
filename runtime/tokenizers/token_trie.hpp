#pragma once

#include <fovea/runtime/tokenizers/lying_table.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
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
  /// What is walked along.
  struct tables {
    std::span<const unsigned char> bytes; // that lead to a node
    std::span<const place> children;      // a node's first child; the next node's first child ends them
    std::span<const token_id> tokens;
  };

  /// Without tokens.
  token_trie() : token_trie(std::vector<std::pair<std::string_view, token_id>>()) {}
  /// Tokens and their ids, none of them empty or there twice, in any order.
  explicit token_trie(const std::vector<std::pair<std::string_view, token_id>>& given);
  /// Walks along tables where they lie. Throws fovea::error where they are none of a trie whose tokens are less than `end`,
  /// so that no walk leaves them.
  token_trie(const tables& lying, std::size_t end);
  tables walked() const { return {bytes_.all(), children_.all(), tokens_.all()}; }

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
  /// Throws fovea::error where a walk may be longer than so many bytes.
  void expect_depth(std::size_t most) const;

private:
  lying_table<unsigned char> bytes_;
  lying_table<place> children_;
  lying_table<token_id> tokens_;
};

/// What a walk along a text may cost for each of its bytes is bounded by this length of a token.
constexpr std::size_t longest_walked_token = 1024;

} // namespace fovea::core
