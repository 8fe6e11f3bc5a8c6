#include <fovea/runtime/tokenizers/byte_level.hpp>

#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <array>

namespace fovea::core {
namespace {

constexpr bool stands_for_itself(std::uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

constexpr std::uint32_t first_stand_in = 0x100;

constexpr auto characters = [] {
  std::array<std::uint32_t, 256> table{};
  std::uint32_t next = first_stand_in;
  for (std::uint32_t byte = 0; byte < 256; ++byte) table[byte] = stands_for_itself(byte) ? byte : next++;
  return table;
}();

constexpr std::uint32_t after_stand_ins = first_stand_in + 68;

/// The byte of each character below after_stand_ins, or -1.
constexpr auto bytes = [] {
  std::array<std::int16_t, after_stand_ins> table{};
  table.fill(-1);
  for (std::size_t byte = 0; byte < 256; ++byte) table[characters[byte]] = static_cast<std::int16_t>(byte);
  return table;
}();

enum class kind : std::uint8_t { space, letter, number, other };

constexpr auto ascii_kinds = [] {
  std::array<kind, 128> kinds{};
  for (std::uint32_t c = 0; c < 128; ++c)
    kinds[c] = c == ' ' || (c >= 9 && c <= 13)                    ? kind::space
               : (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? kind::letter
               : c >= '0' && c <= '9'                             ? kind::number
                                                                  : kind::other;
  return kinds;
}();

kind kind_of(std::uint32_t value) {
  if (value < 128) return ascii_kinds[value];
  return is_letter(value)        ? kind::letter
         : is_number(value)      ? kind::number
         : is_white_space(value) ? kind::space
                                 : kind::other;
}

/// Bytes of the contraction ('s, 'll, ...) at the front of `text`, or 0.
std::size_t contraction(std::string_view text, bool any_case) {
  const auto same = [&](char found, char wanted) {
    return found == wanted || (any_case && found >= 'A' && found <= 'Z' && found + ('a' - 'A') == wanted);
  };
  for (const std::string_view form : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.size() >= form.size() && std::ranges::equal(text.substr(0, form.size()), form, same))
      return form.size();
  return 0;
}

std::size_t end_of_run(std::string_view text, std::size_t at, kind wanted) {
  while (at < text.size()) {
    const auto [value, length] = code_point_at(text, at);
    if (kind_of(value) != wanted) break;
    at += length;
  }
  return at;
}

/// White space up to the text's end, or all of it but the last character, which the next word may take.
std::size_t end_of_space(std::string_view text, std::size_t begin) {
  const std::size_t end = end_of_run(text, begin, kind::space);
  if (end == text.size()) return end;
  const std::size_t last = begin + last_code_point(text.substr(begin, end - begin));
  return last > begin ? last : end;
}

} // namespace

std::uint32_t byte_character(unsigned char byte) { return characters[byte]; }

std::string printable_bytes(std::string_view text) {
  std::string printable;
  for (const char c : text) append_utf8(printable, characters[static_cast<unsigned char>(c)]);
  return printable;
}

void append_token_bytes(std::string_view token, std::string& result) {
  const std::size_t before = result.size();
  for (std::size_t at = 0; at < token.size();) {
    const auto [value, length] = code_point_at(token, at);
    if (value >= after_stand_ins || bytes[value] < 0) {
      result.resize(before);
      result += token;
      return;
    }
    result += static_cast<char>(bytes[value]);
    at += length;
  }
}

std::string_view next_gpt2_word(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  const auto word = [&](std::size_t end) {
    at = end;
    return text.substr(begin, end - begin);
  };
  if (text[begin] == '\'')
    if (const std::size_t length = contraction(text.substr(begin), false)) return word(begin + length);

  const auto [first, first_length] = code_point_at(text, begin);
  const kind first_kind = kind_of(first);
  if (first_kind != kind::space) return word(end_of_run(text, begin, first_kind));
  if (first == ' ' && begin + 1 < text.size()) {
    const kind second = kind_of(code_point_at(text, begin + 1).value);
    if (second != kind::space) return word(end_of_run(text, begin + 1, second));
  }
  return word(end_of_space(text, begin));
}

std::string_view next_llama3_word(std::string_view text, std::size_t& at, std::size_t most_digits) {
  const std::size_t begin = at;
  const auto word = [&](std::size_t end) {
    at = end;
    return text.substr(begin, end - begin);
  };
  const auto is_line_end = [](std::uint32_t value) { return value == '\r' || value == '\n'; };
  if (text[begin] == '\'')
    if (const std::size_t length = contraction(text.substr(begin), true)) return word(begin + length);

  const auto [first, first_length] = code_point_at(text, begin);
  const kind first_kind = kind_of(first);
  const std::size_t second = begin + first_length;
  const kind second_kind = second < text.size() ? kind_of(code_point_at(text, second).value) : kind::space;
  if (first_kind == kind::letter) return word(end_of_run(text, begin, kind::letter));
  if (first_kind == kind::number) {
    std::size_t end = second;
    for (std::size_t digits = 1; digits < most_digits && end < text.size(); ++digits) {
      const auto [value, length] = code_point_at(text, end);
      if (kind_of(value) != kind::number) break;
      end += length;
    }
    return word(end);
  }
  if (!is_line_end(first) && second_kind == kind::letter) return word(end_of_run(text, second, kind::letter));
  if (first_kind == kind::other || (first == ' ' && second_kind == kind::other)) {
    std::size_t end = end_of_run(text, first_kind == kind::other ? begin : second, kind::other);
    while (end < text.size() && is_line_end(static_cast<unsigned char>(text[end]))) ++end;
    return word(end);
  }
  const std::size_t end = end_of_run(text, begin, kind::space);
  const std::size_t line_end = text.substr(begin, end - begin).find_last_of("\r\n");
  return word(line_end != std::string_view::npos ? begin + line_end + 1 : end_of_space(text, begin));
}

std::string_view next_clip_word(std::string_view text, std::size_t& at, bool spelt_tokens) {
  const std::size_t begin = end_of_run(text, at, kind::space);
  const std::string_view rest = text.substr(begin);
  at = begin;
  if (rest.empty()) return rest;
  if (spelt_tokens)
    for (const std::string_view token : {"<|startoftext|>", "<|endoftext|>"})
      if (rest.starts_with(token)) at += token.size();
  if (at > begin) return text.substr(begin, at - begin);
  const auto [first, first_length] = code_point_at(text, begin);
  const kind first_kind = kind_of(first);
  at += first_kind == kind::number ? first_length : contraction(rest, false);
  if (at == begin) at = end_of_run(text, begin, first_kind);
  return text.substr(begin, at - begin);
}

} // namespace fovea::core
