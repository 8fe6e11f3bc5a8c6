#pragma once

#include <fovea/runtime/tokenizers/lying_table.hpp>
#include <fovea/runtime/tokenizers/token_trie.hpp>
#include <fovea/runtime/tokenizers/vocabulary.hpp>

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fovea::core {

/// The unigram language model over pieces (Kudo 2018): of all ways to cut a word into tokens, the one whose
/// scores, log p, sum highest. A character that no token covers counts as 10 less than the least likely
/// token.
class unigram {
public:
  struct settings {
    std::optional<token_id> unknown{}; // for characters that no token covers, neighbouring ones together
    bool byte_fallback = false;        // their bytes instead, as <0x00> to <0xFF>
    /// Of a character that no token covers, where it is not 10 less than the least score.
    std::optional<float> uncovered_score{};
    bool single_precision = false; // sums of scores are rounded to it, as SentencePiece has them
  };

  /// `scores` by id; a token beyond them, or of score -infinity, covers nothing. Throws fovea::error for a
  /// score that is no number, for a token of more than 1,024 bytes, which bounds what each byte of a text
  /// costs, and for a byte that byte_fallback has no token for.
  unigram(const token_vocabulary& tokens, std::vector<double> scores, settings options);
  /// With the trie of the tokens that cover something, which is there already, and scores where they lie.
  unigram(const token_vocabulary& tokens, std::span<const double> lying, token_trie trie, settings options);

  /// Appends the ids of one word, which is valid UTF-8.
  void append(std::string_view word, std::vector<token_id>& ids) const;

  std::span<const double> scores() const { return scores_.all(); }
  const token_trie& trie() const { return trie_; }
  const settings& options() const { return options_; }

private:
  unigram(const token_vocabulary& tokens, lying_table<double> scores, token_trie trie, settings options);
  void append_uncovered(std::string_view characters, std::vector<token_id>& ids) const;

  lying_table<double> scores_;
  settings options_;
  double uncovered_score_ = 0;
  token_trie trie_;                          // of the tokens that cover something
  std::array<token_id, 256> fallback_ids_{}; // where byte_fallback
};

} // namespace fovea::core
