#pragma once

#include <fovea/base/read_number.hpp>
#include <fovea/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace fovea::core {

/// Reads JSON (RFC 8259) of UTF-8 for a handler of events as nlohmann's parser calls it, and takes a fraction of its time.
template <class handler>
class json_reader {
public:
  json_reader(std::string_view text, handler& to)
      : at_(text.data()), end_(text.data() + text.size()), to_(to) {}

  /// Whether the text is JSON from end to end; the handler has had what comes before the first mistake.
  bool read() {
    if (constexpr std::string_view mark = "\xef\xbb\xbf"; rest().starts_with(mark)) at_ += mark.size();
    return value() && !next();
  }

private:
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  /// The next byte that is no space; 0 at the end, and for a byte that is 0.
  char next() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ == end_ ? char{0} : *at_ == 0 ? char{1} : *at_;
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    if (!rest().starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  bool value() {
    switch (next()) {
      case '{':
        return object();
      case '[':
        return list();
      case '"':
        return string() && to_.string(text_);
      case 't':
        return word("true") && to_.boolean(true);
      case 'f':
        return word("false") && to_.boolean(false);
      case 'n':
        return word("null") && to_.null();
      default:
        return number();
    }
  }

  bool object() {
    ++at_;
    to_.start_object(unknown_size);
    if (take('}')) return to_.end_object();
    do {
      if (next() != '"' || !string() || !to_.key(text_) || !take(':') || !value()) return false;
    } while (take(','));
    return take('}') && to_.end_object();
  }

  bool list() {
    ++at_;
    to_.start_array(unknown_size);
    if (take(']')) return to_.end_array();
    do {
      if (!value()) return false;
    } while (take(','));
    return take(']') && to_.end_array();
  }

  /// Puts the string that begins here into text_.
  bool string() {
    text_.clear();
    for (const char* run = ++at_; at_ != end_;) {
      const auto byte = static_cast<unsigned char>(*at_);
      if (is_plain[byte]) {
        ++at_;
      } else if (byte == '"' || byte == '\\') {
        text_.append(run, static_cast<std::size_t>(at_++ - run));
        if (byte == '"') return true;
        if (!escape()) return false;
        run = at_;
      } else {
        const std::size_t bytes = length_of_code_point();
        if (bytes == 0) return false;
        at_ += bytes;
      }
    }
    return false;
  }

  /// What stands behind a backslash.
  bool escape() {
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (at_ == end_) return false;
    const char letter = *at_++;
    if (const auto found = letters.find(letter); found != letters.npos) {
      text_ += meant[found];
      return true;
    }
    if (letter != 'u') return false;
    std::uint32_t code = four_digits();
    if (code == none || is_surrogate(code, 0xdc00)) return false;
    if (is_surrogate(code, 0xd800)) { // the first of two
      const std::uint32_t second = word("\\u") ? four_digits() : none;
      if (second == none || !is_surrogate(second, 0xdc00)) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
    }
    append_utf8(text_, code);
    return true;
  }
  static bool is_surrogate(std::uint32_t code, std::uint32_t first) { return (code & 0xfc00u) == first; }

  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// Or none.
  std::uint32_t four_digits() {
    if (end_ - at_ < 4) return none;
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      const char digit = *at_++;
      const int worth = digit >= '0' && digit <= '9'   ? digit - '0'
                        : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                        : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                       : -1;
      if (worth < 0) return none;
      code = code << 4 | static_cast<std::uint32_t>(worth);
    }
    return code;
  }

  /// Of the one of several bytes that begins here; 0 where it is not well-formed (Unicode 15, table 3-7).
  std::size_t length_of_code_point() const {
    const auto byte = [&](std::ptrdiff_t i) {
      return i < end_ - at_ ? static_cast<unsigned char>(at_[i]) : 0u;
    };
    const auto continues = [&](std::ptrdiff_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0xc2 || first > 0xf4 || !continues(1)) return 0;
    if (first < 0xe0) return 2;
    if (first < 0xf0) {
      const bool is_short = first == 0xe0 && second < 0xa0, is_half = first == 0xed && second > 0x9f;
      return !is_short && !is_half && continues(2) ? 3 : 0;
    }
    const bool is_short = first == 0xf0 && second < 0x90, is_beyond = first == 0xf4 && second > 0x8f;
    return !is_short && !is_beyond && continues(2) && continues(3) ? 4 : 0;
  }

  bool digits() {
    const char* const first = at_;
    while (is_digit()) ++at_;
    return at_ != first;
  }
  bool is_digit() const { return at_ != end_ && *at_ >= '0' && *at_ <= '9'; }
  bool one_of(char a, char b) {
    if (at_ == end_ || (*at_ != a && *at_ != b)) return false;
    ++at_;
    return true;
  }
  bool one(char wanted) { return one_of(wanted, wanted); }

  bool number() {
    constexpr std::ptrdiff_t short_number = 18; // digits, which 64 bits hold
    const char* const first = at_;
    std::uint64_t read = 0;
    for (; is_digit() && at_ - first < short_number; ++at_)
      read = 10 * read + static_cast<std::uint64_t>(*at_ - '0');
    const bool is_short = at_ != first && !is_digit() && (*first != '0' || at_ - first == 1);
    if (is_short && (at_ == end_ || (*at_ != '.' && *at_ != 'e' && *at_ != 'E')))
      return to_.number_unsigned(read);
    at_ = first;
    return other_number();
  }

  bool other_number() {
    const char* const first = at_;
    const bool negative = one('-');
    if (!one('0') && !digits()) return false;
    bool whole = true;
    if (one('.')) {
      whole = false;
      if (!digits()) return false;
    }
    if (one_of('e', 'E')) {
      whole = false;
      one_of('+', '-');
      if (!digits()) return false;
    }
    const std::string_view text(first, static_cast<std::size_t>(at_ - first));
    if (whole && !negative)
      if (const auto found = number_in<std::uint64_t>(text)) return to_.number_unsigned(*found);
    if (whole && negative)
      if (const auto found = number_in<std::int64_t>(text)) return to_.number_integer(*found);
    if (const auto found = number_in<double>(text)) return to_.number_float(*found, {});
    return is_tiny(text) && to_.number_float(negative ? -0.0 : 0.0, {});
  }
  /// Whether a number that no double is near to lies near 0, and not beyond the largest.
  static bool is_tiny(std::string_view text) {
    const std::size_t exponent = std::min(text.find_first_of("eE"), text.size());
    const std::string_view digits = text.substr(0, exponent);
    const std::size_t point = std::min(digits.find('.'), digits.size()),
                      first = digits.find_first_of("123456789");
    long places = static_cast<long>(point) - static_cast<long>(std::min(first, digits.size()));
    if (exponent < text.size()) {
      std::string_view power = text.substr(exponent + 1);
      if (power.starts_with('+')) power.remove_prefix(1);
      const auto known = number_in<std::int32_t>(power);
      places += known ? *known : power.starts_with('-') ? -most_places : most_places;
    }
    return places < 0;
  }
  static constexpr long most_places = std::numeric_limits<std::int32_t>::max();

  static constexpr auto unknown_size = static_cast<std::size_t>(-1);
  /// Of one byte, and itself in a string.
  static constexpr std::array<bool, 256> is_plain = [] {
    std::array<bool, 256> made{};
    for (unsigned byte = 0x20; byte < 0x80; ++byte) made[byte] = byte != '"' && byte != '\\';
    return made;
  }();

  const char* at_;
  const char* const end_;
  handler& to_;
  std::string text_; // of the last string
};

} // namespace fovea::core
