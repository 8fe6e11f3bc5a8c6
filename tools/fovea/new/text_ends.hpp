#pragma once

#include "checkpoint.hpp"

#include <string>
#include <vector>

namespace tool {

/// The tokens around what a model writes, as the tokenizer spells them.
struct text_ends {
  std::string begin = {}; // of a text without a prompt, or of a translation
  std::vector<std::string> end = {};
};

/// By generation_config.json, config.json or the keys of a GGUF file. Throws failure or fovea::error where they
/// are malformed or the tokenizer cannot be read.
text_ends ends_of(const checkpoint& from, bool translates);

} // namespace tool
