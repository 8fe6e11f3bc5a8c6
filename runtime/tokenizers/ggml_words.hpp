#pragma once

#include <fovea/runtime/tokenizers/word_pattern.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fovea::core {

/// How llama.cpp cuts a text for a pre-tokeniser of `tokenizer.ggml.pre`: each rule cuts what the ones before
/// it have left in one piece into what it finds and what lies between.
struct ggml_words {
  struct ending_space {};    // the white space at a piece's end
  struct digits_by_three {}; // before every third of the last digits 0 to 9 of a run
  struct gpt2 {};            // next_gpt2_word
  struct llama3 {            // next_llama3_word
    std::size_t most_digits;
  };
  using rule = std::variant<word_pattern, ending_space, digits_by_three, gpt2, llama3>;

  std::vector<rule> rules;
  bool ignore_merges = false; // a word that is a token is that token
  bool add_begin = false;     // where the file does not say whether a text begins with its token
  bool no_begin = false;      // whatever the file says

  /// Appends the words of a text, valid UTF-8, none of them empty.
  void split(std::string_view text, std::vector<std::string_view>& words) const;
};

/// By its name; null for one that is not known. Lives as long as the program.
const ggml_words* find_ggml_words(std::string_view name);

/// The names that are known, for messages.
std::string ggml_word_names();

} // namespace fovea::core
