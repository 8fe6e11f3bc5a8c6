#pragma once

#include "arguments.hpp"

#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/training/token_text.hpp>

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace train_lm {

/// Texts as words between white space, each line ended by </s>: a token is the number of one of the different
/// words, known or not.
class word_numbers {
public:
  /// Throws fovea::error where a text can't be read or has no words.
  fovea::token_text read(const std::filesystem::path& file);
  const std::vector<std::string>& different() const { return different_; }

private:
  std::unordered_map<std::string, fovea::token_id> numbers_;
  std::vector<std::string> different_;
};

/// A text to learn from, one to look at meanwhile, and one to look at once at the end, or none, as numbers of
/// different words.
struct word_texts {
  word_numbers numbers = {};
  fovea::token_text learned, held_out, test;

  /// Throws fovea::error where a text can't be read or has no words.
  explicit word_texts(const arguments& a);
  /// What is learned from, as words, line ends left out.
  std::vector<std::string> learned_words() const;
};

/// The vocabulary of a text: <pad>, <s>, </s>, <unk> and the most frequent words that occur twice.
fovea::tokenizer vocabulary_of(const std::vector<std::string>& text, std::size_t size);
/// The id of each of the different words.
fovea::token_ids ids_of(const std::vector<std::string>& different, const fovea::tokenizer& words);
/// The most frequent characters of a text's different words.
std::vector<std::string> characters_of(const std::vector<std::string>& text, std::size_t count);

inline constexpr fovea::token_id line_start = 1, line_end = 2, unknown_word = 3;
/// The size of the networks' vocabularies.
inline constexpr int most_words = 8000;

} // namespace train_lm
