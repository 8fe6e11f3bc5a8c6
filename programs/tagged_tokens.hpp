#pragma once

#include <fovea/programs/labels.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <span>
#include <string>
#include <vector>

namespace fovea::programs {

struct tagged_token {
  std::string token;
  labels::choice label;
};

/// The tokens of a text that it has itself, those that the tokenizer puts around it left out, each with its best label:
/// `ids` are all that were read, and `scores` [tokens, labels] what the network gave for them.
std::vector<tagged_token> tagged_tokens(const std::string& text, const tokenizer& words,
                                        std::span<const token_id> ids, std::span<const float> scores);

} // namespace fovea::programs
