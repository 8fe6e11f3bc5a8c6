#pragma once

#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

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
  void add(added_token token);

  /// A part of a text that is an added token, or lies between two.
  struct part {
    std::string_view text;
    std::optional<token_id> id;
  };
  /// Appends the parts of `text`, in order, none of them empty.
  void split(std::string_view text, std::vector<part>& parts) const;

  const std::vector<added_token>& all() const { return tokens_; }

private:
  const added_token* longest_at(std::string_view text, std::size_t at) const;

  std::vector<added_token> tokens_;
  std::array<std::vector<std::size_t>, 256> by_first_byte_; // longest first
};

} // namespace fovea
