#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <string>
#include <string_view>

namespace fovea::core {

/// From the bytes of a SentencePiece `.model` file (Kudo and Richardson 2018): unigram, BPE, characters or
/// words, with its normaliser. `source` is what messages call it. Its control symbols are special tokens,
/// which no text spells and `encode` does not add. Throws fovea::error where the bytes are no such model, and
/// for what no program that trains one writes: a table that changes decoded texts, or in a BPE model pieces
/// that are not used or have a character that is no piece.
tokenizer parse_sentence_piece(std::string_view bytes, const std::string& source);

} // namespace fovea::core
