#include <fovea/runtime/tokenizers/utf8.hpp>

#include <fovea/runtime/error.hpp>

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace fovea {
namespace {

constexpr std::uint32_t replacement = 0xfffd;

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

bool between(int value, int first, int last) { return first <= value && value <= last; }

int category(std::uint32_t value) { return utf8proc_category(static_cast<utf8proc_int32_t>(value)); }

/// Bytes from `at` that begin a well-formed sequence but are cut off or broken; at least 1.
std::size_t ill_formed_part(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = byte(at);
  std::size_t following = first >= 0xc2 && first < 0xe0   ? 1
                          : first >= 0xe0 && first < 0xf0 ? 2
                          : first >= 0xf0 && first < 0xf5 ? 3
                                                          : 0;
  // The second byte's range excludes overlong forms, surrogates and values beyond U+10FFFF.
  unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  std::size_t length = 1;
  for (; following > 0 && at + length < bytes.size(); --following, ++length) {
    if (byte(at + length) < low || byte(at + length) > high) break;
    low = 0x80;
    high = 0xbf;
  }
  return length;
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
    utf8proc_int32_t value;
    const auto length =
        utf8proc_iterate(bytes_of(text) + at, static_cast<utf8proc_ssize_t>(text.size() - at), &value);
    if (length <= 0) {
      constexpr char digits[] = "0123456789abcdef";
      const auto found = static_cast<unsigned char>(text[at]);
      throw error("text: expected UTF-8; found byte 0x" +
                  std::string{digits[found >> 4], digits[found & 15]} + " at offset " + std::to_string(at));
    }
    at += static_cast<std::size_t>(length);
  }
}

void append_utf8(std::string& text, std::uint32_t value) {
  if (value < 0x80) {
    text += static_cast<char>(value);
    return;
  }
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(value), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

void append_lower(std::string& result, std::uint32_t value) {
  constexpr std::uint32_t dotted_capital_i = 0x130, combining_dot = 0x307;
  if (value == dotted_capital_i) {
    // The one lower-case form of two code points that no context changes.
    result += 'i';
    append_utf8(result, combining_dot);
    return;
  }
  append_utf8(result, static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(value))));
}

std::string utf8_or_replacement(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    utf8proc_int32_t value;
    const auto length =
        utf8proc_iterate(bytes_of(bytes) + at, static_cast<utf8proc_ssize_t>(bytes.size() - at), &value);
    if (length > 0) {
      text.append(bytes.substr(at, static_cast<std::size_t>(length)));
      at += static_cast<std::size_t>(length);
    } else {
      append_utf8(text, replacement);
      at += ill_formed_part(bytes, at);
    }
  }
  return text;
}

std::size_t unfinished_bytes(std::string_view bytes) {
  constexpr std::size_t most = 3;
  for (std::size_t count = 1; count <= std::min(most, bytes.size()); ++count) {
    const auto first = static_cast<unsigned char>(bytes[bytes.size() - count]);
    if ((first & 0xc0u) == 0x80u) continue; // follows another
    const std::size_t whole = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
    return count < whole && ill_formed_part(bytes, bytes.size() - count) == count ? count : 0;
  }
  return 0;
}

bool is_letter(std::uint32_t value) {
  return between(category(value), UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}
bool is_number(std::uint32_t value) {
  return between(category(value), UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}
bool is_punctuation(std::uint32_t value) {
  return between(category(value), UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}
bool is_nonspacing_mark(std::uint32_t value) { return category(value) == UTF8PROC_CATEGORY_MN; }
bool is_mark(std::uint32_t value) {
  return between(category(value), UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}
bool is_other(std::uint32_t value) {
  const int found = category(value);
  return found == UTF8PROC_CATEGORY_CC || found == UTF8PROC_CATEGORY_CF || found == UTF8PROC_CATEGORY_CO;
}

bool is_white_space(std::uint32_t value) {
  return (value >= 0x09 && value <= 0x0d) || value == 0x20 || value == 0x85 || value == 0xa0 ||
         value == 0x1680 || (value >= 0x2000 && value <= 0x200a) || value == 0x2028 || value == 0x2029 ||
         value == 0x202f || value == 0x205f || value == 0x3000;
}

} // namespace fovea
