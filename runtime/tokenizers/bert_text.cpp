#include <fovea/runtime/tokenizers/bert_text.hpp>

#include <fovea/base/utf8.hpp>
#include <fovea/runtime/tokenizers/decomposition.hpp>

#include <array>
#include <cstdint>

namespace fovea::core {
namespace {

enum class kind : std::uint8_t { word, space, punctuation };

constexpr bool is_ascii_punctuation(std::uint32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
}

constexpr auto ascii_kinds = [] {
  std::array<kind, 128> kinds{};
  for (std::uint32_t c = 0; c < 128; ++c)
    kinds[c] = c == ' ' || (c >= 9 && c <= 13) ? kind::space
               : is_ascii_punctuation(c)       ? kind::punctuation
                                               : kind::word;
  return kinds;
}();

kind kind_of(std::uint32_t value) {
  if (value < 128) return ascii_kinds[value];
  return is_white_space(value) ? kind::space : is_punctuation(value) ? kind::punctuation : kind::word;
}

bool is_removed(std::uint32_t value) {
  if (value == '\t' || value == '\n' || value == '\r') return false;
  return value == 0 || value == 0xfffd || is_other(value);
}

// The ranges of the reference, in which 0x2B920 stands where the block begins at 0x2B820.
bool is_ideograph(std::uint32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
         (c >= 0x2a700 && c <= 0x2b73f) || (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

} // namespace

void bert_normalizer::append(std::string_view text, std::string& result) const {
  std::string run;
  for (std::size_t at = 0; at < text.size();) {
    if (const auto c = static_cast<unsigned char>(text[at]); c < 128) {
      ++at;
      if (clean_text && is_removed(c)) continue;
      const bool capital = lowercase && c >= 'A' && c <= 'Z';
      result += clean_text && is_white_space(c) ? ' ' : static_cast<char>(capital ? c + ('a' - 'A') : c);
      continue;
    }
    // A run beyond ASCII. Marks are reordered within it only, since every ASCII character stops them.
    run.clear();
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 128) {
      const auto [value, bytes] = code_point_at(text, at);
      const bool ideograph = handle_chinese_chars && is_ideograph(value);
      if (ideograph) run += ' ';
      if (clean_text && is_white_space(value) && !is_removed(value)) {
        run += ' ';
      } else if (!clean_text || !is_removed(value)) {
        run += text.substr(at, bytes);
      }
      if (ideograph) run += ' ';
      at += bytes;
    }
    if (strip_accents) {
      for (const std::int32_t value : decomposed(run, false)) {
        if (is_nonspacing_mark(static_cast<std::uint32_t>(value))) continue;
        if (lowercase)
          append_lower(result, static_cast<std::uint32_t>(value));
        else
          append_utf8(result, static_cast<std::uint32_t>(value));
      }
    } else if (lowercase) {
      for (std::size_t i = 0; i < run.size();) {
        const auto [value, bytes] = code_point_at(run, i);
        append_lower(result, value);
        i += bytes;
      }
    } else {
      result += run;
    }
  }
}

std::string_view next_bert_word(std::string_view text, std::size_t& at) {
  std::size_t begin = at;
  while (at < text.size()) {
    const auto [value, bytes] = code_point_at(text, at);
    const kind found = kind_of(value);
    if (found == kind::word) {
      at += bytes;
      continue;
    }
    if (at > begin) break;
    at += bytes;
    if (found == kind::punctuation) break;
    begin = at;
  }
  return text.substr(begin, at - begin);
}

} // namespace fovea::core
