#pragma once

#include <fovea/runtime/tokenizers/added_tokens.hpp>
#include <fovea/runtime/tokenizers/bert_text.hpp>
#include <fovea/runtime/tokenizers/byte_pair.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/tokenizers/word_cache.hpp>
#include <fovea/runtime/tokenizers/word_piece.hpp>

#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

namespace fovea {

/// What the special tokens around a text, or a pair, look like.
struct encoding_template {
  struct piece {
    enum class kind { first_text, second_text, special } what;
    token_id type = 0;
    std::vector<token_id> ids{}; // of a special piece
  };
  std::vector<piece> pieces;

  std::size_t special_count() const {
    std::size_t count = 0;
    for (const piece& p : pieces) count += p.ids.size();
    return count;
  }
};

struct bert_splitter {};
struct byte_level_splitter {
  bool prefix_space; // a space in front of a text that has none
  bool use_pattern;  // split into words; otherwise a text is one word
};

struct space_decoder {}; // tokens joined by a space
struct byte_level_decoder {};
struct word_piece_decoder {
  std::string continuation;
  bool clean_up; // no space in front of punctuation and contractions
};

/// The stages of a tokenizer, in the order in which a text passes them.
struct tokenizer::state {
  added_tokens raw_tokens;
  std::optional<bert_normalizer> normalizer;
  added_tokens normalized_tokens;
  std::variant<bert_splitter, byte_level_splitter> splitter;
  vocabulary tokens;
  std::variant<std::monostate, word_piece, byte_pair> model; // refers to `tokens`
  encoding_template single, pair;
  std::variant<space_decoder, byte_level_decoder, word_piece_decoder> decoder;
  std::unordered_set<token_id> special;

  std::mutex cache_guard;
  word_cache cache;
};

} // namespace fovea
