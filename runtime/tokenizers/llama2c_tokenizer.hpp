#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace fovea::core {

/// The tokenizer of llama2.c (https://github.com/karpathy/llama2.c): the length of the longest token, then of
/// each token its score, its length and its bytes. Tokens 0, 1 and 2 are unknown, begin and end; no text
/// spells them, and `encode` puts the beginning in front. Tokens are spelt with U+2581 for a space, as
/// SentencePiece does, the beginning and the end "<s>" and "</s>". Throws fovea::error where the bytes are
/// cut short or otherwise malformed.
tokenizer parse_llama2c_tokenizer(std::span<const std::byte> bytes, const std::string& source);

} // namespace fovea::core
