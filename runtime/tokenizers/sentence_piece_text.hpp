#pragma once

#include <fovea/runtime/tokenizers/precompiled_map.hpp>
#include <fovea/runtime/tokenizers/token_trie.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fovea::core {

/// SentencePiece's normaliser, as a model file describes it.
struct sentence_piece_text {
  std::optional<precompiled_map> replacements{};
  token_trie whole{};                   // symbols that no replacement touches
  bool add_dummy_prefix = true;         // a space in front of a text that is not empty,
  bool dummy_behind = false;            // or behind it
  bool remove_extra_whitespaces = true; // those at the ends, and all but one of several
  bool escape_whitespaces = true;       // a space is U+2581

  /// Appends the normalised `text`, which is valid UTF-8. Stops behind `most` bytes.
  void append(std::string_view text, std::string& result, std::size_t most) const;

private:
  std::pair<std::string_view, std::size_t> next(std::string_view text) const;
};

} // namespace fovea::core
