#include <fovea/base/utf8.hpp>

#include <utf8proc.h>

namespace fovea::core {
namespace {

bool between(int value, int first, int last) { return first <= value && value <= last; }

int category(std::uint32_t value) { return utf8proc_category(static_cast<utf8proc_int32_t>(value)); }

} // namespace

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

} // namespace fovea::core
