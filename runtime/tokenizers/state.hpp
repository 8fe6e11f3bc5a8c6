#pragma once

#include <fovea/runtime/tokenizers/added_tokens.hpp>
#include <fovea/runtime/tokenizers/byte_pair.hpp>
#include <fovea/runtime/tokenizers/decoder.hpp>
#include <fovea/runtime/tokenizers/normalizer.hpp>
#include <fovea/runtime/tokenizers/splitter.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/tokenizers/unigram.hpp>
#include <fovea/runtime/tokenizers/whole_word.hpp>
#include <fovea/runtime/tokenizers/word_cache.hpp>
#include <fovea/runtime/tokenizers/word_piece.hpp>

#include <memory>
#include <mutex>
#include <unordered_set>
#include <variant>
#include <vector>

namespace fovea::core {

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

/// The stages of a tokenizer, in the order in which a text passes them.
struct tokenizer::state {
  added_tokens raw_tokens;
  normalizer normalize;
  added_tokens normalized_tokens;
  splitter split;
  token_vocabulary tokens;
  std::variant<std::monostate, word_piece, byte_pair, unigram, whole_word> model; // refers to `tokens`
  encoding_template single{{{encoding_template::piece::kind::first_text}}};
  encoding_template pair{
      {{encoding_template::piece::kind::first_text}, {encoding_template::piece::kind::second_text, 1}}};
  decoder decode;
  std::unordered_set<token_id> special;
  std::shared_ptr<const void> holder; // of tables that are not its own

  std::mutex cache_guard;
  word_cache cache;
};

} // namespace fovea::core
