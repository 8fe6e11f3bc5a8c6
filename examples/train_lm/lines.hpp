#pragma once

#include <fovea/runtime/decoding/next_token.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <filesystem>
#include <vector>

namespace train_lm {

/// The lines of a text by their characters; id 0 stands before and behind each.
struct character_lines {
  fovea::tokenizer characters;
  std::vector<fovea::token_ids> lines; // without the 0
};

/// Throws fovea::error that names the file where it can't be read, is not UTF-8, has no characters, or more
/// different ones than the vocabulary has room for.
character_lines read_lines(const std::filesystem::path& file, std::size_t vocabulary);

} // namespace train_lm
