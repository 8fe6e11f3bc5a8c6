#pragma once

#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor; // NOLINT(readability-identifier-naming)
}

namespace fovea {

/// A SentencePiece model (Kudo and Richardson 2018), unigram or BPE, run by the library of that name.
class sentence_piece {
public:
  explicit sentence_piece(std::shared_ptr<const sentencepiece::SentencePieceProcessor> library)
      : library_(std::move(library)) {}

  /// Appends the ids of a text, which is valid UTF-8.
  void append(std::string_view text, std::vector<token_id>& ids) const;

private:
  std::shared_ptr<const sentencepiece::SentencePieceProcessor> library_;
};

/// From the bytes of a `.model` file; `source` is what messages call it. Its control symbols are special
/// tokens, which no text spells and `encode` does not add. Throws fovea::error where the bytes are no such
/// model, and where this build has no SentencePiece.
tokenizer parse_sentence_piece(std::string_view bytes, const std::string& source);

} // namespace fovea
