#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

/// SentencePiece's table of replacements, as the Precompiled normaliser of Hugging Face tokenizers applies
/// it: to each grapheme of less than 6 bytes, otherwise to each code point, by the shortest key at its front.
/// The table is a length, a double-array trie (Aoe 1989) of so many bytes from keys to places, and the
/// replacements, each ended by a zero.
class precompiled_map {
public:
  /// Throws fovea::error where the bytes are no such table.
  explicit precompiled_map(std::string bytes);

  /// Appends the text, valid UTF-8, with its replacements.
  void append(std::string_view text, std::string& result) const;

  const std::string& bytes() const { return bytes_; }

private:
  bool append_replaced(std::string_view part, std::string& result) const;
  std::string_view replacements() const { return std::string_view(bytes_).substr(replacements_); }

  std::string bytes_;
  std::vector<std::uint32_t> trie_;
  std::size_t replacements_ = 0; // where they begin in bytes_
};

/// RFC 4648. Decoding throws fovea::error for what is no base64.
std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);

} // namespace fovea
