// UTF-8 as bytes, without the library of Unicode's classes: a program without a tokenizer does not link that,
// and its messages quote texts.

#include <fovea/base/utf8.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <cstring>

namespace fovea::core {
namespace {

/// The longest part from `at` on that begins a code point, at least 1 byte, and whether it is all of it.
struct beginning {
  std::size_t bytes;
  bool whole;
};
beginning code_point_from(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = byte(at);
  if (first < 0x80) return {1, true};
  std::size_t following = first >= 0xc2 && first < 0xe0   ? 1
                          : first >= 0xe0 && first < 0xf0 ? 2
                          : first >= 0xf0 && first < 0xf5 ? 3
                                                          : 0;
  if (following == 0) return {1, false};
  // The second byte's range excludes overlong forms, surrogates and values beyond U+10FFFF.
  unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  std::size_t length = 1;
  for (; following > 0 && at + length < bytes.size(); --following, ++length) {
    if (byte(at + length) < low || byte(at + length) > high) break;
    low = 0x80;
    high = 0xbf;
  }
  return {length, following == 0};
}

} // namespace

void check_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (at + 8 <= text.size()) {
      std::uint64_t block;
      std::memcpy(&block, text.data() + at, 8);
      if ((block & 0x8080808080808080u) == 0) {
        at += 8;
        continue;
      }
    }
    const beginning found = code_point_from(text, at);
    if (!found.whole) {
      constexpr char digits[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[at]);
      throw error("text: expected UTF-8; found byte 0x" + std::string{digits[byte >> 4], digits[byte & 15]} +
                  " at offset " + std::to_string(at));
    }
    at += found.bytes;
  }
}

std::string utf8_or_replacement(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const beginning found = code_point_from(bytes, at);
    text += found.whole ? bytes.substr(at, found.bytes) : "\xef\xbf\xbd"; // U+FFFD
    at += found.bytes;
  }
  return text;
}

std::size_t unfinished_bytes(std::string_view bytes) {
  constexpr std::size_t most = 3;
  for (std::size_t count = 1; count <= std::min(most, bytes.size()); ++count) {
    const std::size_t at = bytes.size() - count;
    if (continues_code_point(bytes[at])) continue;
    const auto first = static_cast<unsigned char>(bytes[at]);
    const beginning found = code_point_from(bytes, at);
    return !found.whole && found.bytes == count && first >= 0xc2 && first < 0xf5 ? count : 0;
  }
  return 0;
}

} // namespace fovea::core
