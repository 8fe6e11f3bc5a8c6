#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::core {

/// A code point and the bytes it takes.
struct code_point {
  std::uint32_t value;
  std::size_t bytes;
};

/// Throws fovea::error that names the byte offset of the first byte that is not UTF-8 (overlong forms,
/// surrogates and values beyond U+10FFFF included).
void check_utf8(std::string_view text);

/// The code point at byte `at` of valid UTF-8.
inline code_point code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xe0) return {(first & 0x1fu) << 6 | (byte(1) & 0x3fu), 2};
  if (first < 0xf0) return {(first & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu), 3};
  return {(first & 0x07u) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 | (byte(3) & 0x3fu), 4};
}

/// Whether a byte of UTF-8 is neither a code point nor the first of one.
constexpr bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

/// The byte at which the last code point of valid UTF-8, not empty, begins.
inline std::size_t last_code_point(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && continues_code_point(text[at])) --at;
  return at;
}

void append_utf8(std::string& text, std::uint32_t value);

/// Its lower-case form.
void append_lower(std::string& text, std::uint32_t value);

/// The bytes as UTF-8, each longest ill-formed part replaced by U+FFFD (Unicode 15, section 3.9,
/// "substitution of maximal subparts").
std::string utf8_or_replacement(std::string_view bytes);

/// How many bytes at the end, 0 to 3, begin a code point that further bytes could complete.
std::size_t unfinished_bytes(std::string_view bytes);

/// Unicode classes (of the utf8proc release in use).
bool is_letter(std::uint32_t value);          // L
bool is_number(std::uint32_t value);          // N
bool is_punctuation(std::uint32_t value);     // P
bool is_nonspacing_mark(std::uint32_t value); // Mn
bool is_mark(std::uint32_t value);            // M
/// Control, format or private use (Cc, Cf, Co); unassigned code points are not.
bool is_other(std::uint32_t value);
/// The White_Space property.
bool is_white_space(std::uint32_t value);

} // namespace fovea::core
