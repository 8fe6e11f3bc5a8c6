#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::core {

/// SentencePiece's table of replacements: a length, a double-array trie (Aoe 1989) of so many bytes from keys
/// to places, and the replacements, each ended by a zero.
class precompiled_map {
public:
  /// Throws fovea::error where the bytes are no such table, or a replacement has more than 1,024 bytes.
  explicit precompiled_map(std::string bytes);

  /// Appends the text, valid UTF-8, with its replacements as the Precompiled normaliser of Hugging Face
  /// tokenizers makes them: of each grapheme of less than 6 bytes, otherwise of each code point, by the
  /// shortest key at its front. Stops behind `most` bytes.
  void append(std::string_view text, std::string& result, std::size_t most = ~std::size_t{0}) const;

  /// As SentencePiece replaces: what the longest key of at most 1,024 bytes at the text's front stands for,
  /// and that key's length.
  std::optional<std::pair<std::string_view, std::size_t>> longest(std::string_view text) const;

  const std::string& bytes() const { return bytes_; }

private:
  template <typename function>
  void for_each_key(std::string_view text, const function& take) const;
  bool append_replaced(std::string_view part, std::string& result) const;
  std::string_view replacement_at(std::size_t place) const;
  std::string_view replacements() const { return std::string_view(bytes_).substr(replacements_); }

  std::string bytes_;
  std::vector<std::uint32_t> trie_;
  std::size_t replacements_ = 0; // where they begin in bytes_
};

/// RFC 4648. Decoding throws fovea::error for what is no base64.
std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);

} // namespace fovea::core
