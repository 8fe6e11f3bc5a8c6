#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>
#include <fovea/runtime/training/token_text.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace train_gpt {

/// A text in the tokens that it is learned in.
struct text {
  std::optional<fovea::tokenizer> words; // none: of a file of tokens, whose tokenizer was not named
  fovea::token_text tokens;
  std::string unit; // "characters", "bytes" or "tokens"
};

/// A text by its characters, by its bytes where it has more different ones than the vocabulary, or by a
/// tokenizer's tokens; or a .bin file of tokens (runtime/training/token_text.hpp). Throws fovea::error that
/// names the file where it can't be read, is not UTF-8 or has ids outside the vocabulary.
text read_text(const std::filesystem::path& file, const std::filesystem::path& tokenizer,
               std::size_t vocabulary);

} // namespace train_gpt
