#pragma once

#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace fovea::core {

/// A vocabulary of whole words.
class whole_word {
public:
  /// Without an unknown token, a word that is no token is an error.
  whole_word(const token_vocabulary& tokens, std::optional<token_id> unknown)
      : tokens_(tokens), unknown_(unknown) {}

  /// Appends the id of one word.
  void append(std::string_view word, std::vector<token_id>& ids) const;

  std::optional<token_id> unknown() const { return unknown_; }

private:
  const token_vocabulary& tokens_;
  std::optional<token_id> unknown_;
};

} // namespace fovea::core
