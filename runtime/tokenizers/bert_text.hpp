#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fovea::core {

/// BERT's normaliser, as BertNormalizer of Hugging Face tokenizers defines it.
struct bert_normalizer {
  bool clean_text = true;           // drops control characters, makes white space a space
  bool handle_chinese_chars = true; // a space on both sides of each CJK ideograph
  bool strip_accents = true;        // canonical decomposition without its nonspacing marks
  bool lowercase = true;

  /// Appends the normalised `text`, which is valid UTF-8, to `result`.
  void append(std::string_view text, std::string& result) const;
};

/// The next piece of BERT's pre-tokeniser at or after byte `at`: a run without white space and punctuation,
/// or one punctuation character. Moves `at` behind it; empty when only white space is left.
std::string_view next_bert_word(std::string_view text, std::size_t& at);

} // namespace fovea::core
