#pragma once

#include <fovea/runtime/tokenizers/token_trie.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// A token that is found in a text as it is spelt, before words are looked for ("[SEP]", "<|endoftext|>").
struct added_token {
  std::string content;
  token_id id = 0;
  bool special = false;     // left out by decode where asked
  bool single_word = false; // only between characters that belong to no word
  bool left_strip = false;  // takes the white space in front of it
  bool right_strip = false; // takes the white space behind it
  bool normalized = false;  // looked for in the normalised text
};

/// Finds added tokens in texts: leftmost first, of those the longest.
class added_tokens {
public:
  added_tokens() = default;
  /// Of several that are spelt alike the first is found. Throws fovea::error for one of more than 1,024
  /// bytes, which bounds what each byte of a text costs.
  explicit added_tokens(std::vector<added_token> tokens);

  /// A part of a text that is an added token, or lies between two.
  struct part {
    std::string_view text;
    std::optional<token_id> id;
  };
  /// Appends the parts of `text`, in order, none of them empty.
  void split(std::string_view text, std::vector<part>& parts) const;

  const std::vector<added_token>& all() const { return tokens_; }

private:
  std::vector<added_token> tokens_;
  token_trie trie_; // to places in tokens_
};

} // namespace fovea::core
