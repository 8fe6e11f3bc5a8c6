#include <fovea/runtime/chat/tokens.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace fovea::core::jinja {
namespace {

using kind = token::kind;

constexpr std::array<std::string_view, 27> symbols{"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                                   "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                                   ">",  "<",  "=",  ".",  ":",  "|",  ",", ";", "!"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// As jinja2 reads it: every line end is a line feed, and the last is left out.
std::string with_plain_lines(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    made += text[i] == '\r' ? '\n' : text[i];
  }
  if (made.ends_with('\n')) made.pop_back();
  return made;
}

class tokenizer {
public:
  tokenizer(std::string_view text, const std::string& name) : source_(with_plain_lines(text)), name_(name) {}

  std::vector<token> all() {
    while (at_ < source_.size()) {
      data();
      if (at_ < source_.size()) tag();
    }
    add(kind::end, "");
    return std::move(made_);
  }

private:
  std::string_view rest() const { return std::string_view(source_).substr(at_); }
  bool sees(std::string_view what) const { return rest().starts_with(what); }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw error(name_ + ":" + std::to_string(line_) + ": expected " + expected + "; found " + found);
  }
  void add(kind what, std::string text) { made_.push_back({what, std::move(text), line_}); }

  void move(std::size_t bytes) {
    line_ += static_cast<std::size_t>(std::ranges::count(rest().substr(0, bytes), '\n'));
    at_ += bytes;
    begins_line_ = source_[at_ - 1] == '\n';
  }
  void skip_space() {
    while (at_ < source_.size() && is_space(code_point_at(source_, at_).value))
      move(code_point_at(source_, at_).bytes);
  }

  /// What stands before the next tag.
  void data() {
    std::size_t next = source_.find('{', at_);
    while (next != std::string::npos &&
           std::string_view("{%#").find(source_[next + 1]) == std::string_view::npos)
      next = source_.find('{', next + 1);
    next = std::min(next, source_.size());
    text(next, next < source_.size() && source_[next + 1] != '{');
  }

  /// Adds what stands before a tag at `next`, without the space that the tag takes away. The tag itself comes next.
  void text(std::size_t next, bool of_block) {
    std::string_view before = std::string_view(source_).substr(at_, next - at_);
    const bool begins_line = begins_line_;
    const std::size_t bytes = before.size();
    const char sign = next + 2 < source_.size() ? source_[next + 2] : ' ';
    if (next < source_.size()) {
      if (sign == '-') {
        before = stripped(before, {.left = false});
      } else if (sign != '+' && of_block) {
        const std::size_t line = before.rfind('\n') + 1; // npos + 1 is 0
        if ((line > 0 || begins_line) && stripped(before.substr(line)).empty())
          before = before.substr(0, line);
      }
    }
    if (!before.empty()) add(kind::data, std::string(before));
    if (bytes > 0) move(bytes);
  }

  void tag() {
    const char which = source_[at_ + 1];
    move(2);
    if (sees("-") || sees("+")) move(1);
    if (which == '#') {
      const std::size_t end = source_.find("#}", at_);
      if (end == std::string::npos) fail("#} that ends a comment", "the end of the template");
      const bool strips = end > at_ && source_[end - 1] == '-', keeps = end > at_ && source_[end - 1] == '+';
      move(end + 2 - at_);
      after_block(strips, keeps);
      return;
    }
    if (which == '%' && raw()) return;
    add(which == '{' ? kind::begin_output : kind::begin_block, "");
    while (!ends_tag(which == '%')) expression_token();
  }

  void after_block(bool strips, bool keeps) {
    if (strips)
      skip_space();
    else if (!keeps && sees("\n"))
      move(1);
  }

  /// {% raw %} to {% endraw %}, where it begins here.
  bool raw() {
    const auto [strips, begin_bytes] = tag_of(at_, "raw");
    if (begin_bytes == 0 || strips == '+') return false;
    move(begin_bytes);
    if (strips == '-') skip_space();
    for (std::size_t end = source_.find("{%", at_); end != std::string::npos;
         end = source_.find("{%", end + 2)) {
      std::size_t inside = end + 2;
      if (inside < source_.size() && (source_[inside] == '-' || source_[inside] == '+')) ++inside;
      const auto [sign, bytes] = tag_of(inside, "endraw");
      if (bytes == 0) continue;
      text(end, true);
      move(inside + bytes - at_);
      after_block(sign == '-', sign == '+');
      return true;
    }
    fail("{% endraw %}", "the end of the template");
  }

  /// The sign before the end of a tag that is this word alone and the bytes of all that, 0 where it is not.
  std::pair<char, std::size_t> tag_of(std::size_t at, std::string_view word) const {
    const std::size_t begin = at;
    const auto skip = [&] {
      while (at < source_.size() && is_space(code_point_at(source_, at).value))
        at += code_point_at(source_, at).bytes;
    };
    skip();
    if (source_.compare(at, word.size(), word) != 0) return {' ', 0};
    at += word.size();
    skip();
    const char sign = at < source_.size() && (source_[at] == '-' || source_[at] == '+') ? source_[at++] : ' ';
    return {sign, source_.compare(at, 2, "%}") == 0 ? at + 2 - begin : 0};
  }

  bool ends_tag(bool is_block) {
    skip_space();
    if (at_ == source_.size())
      fail(is_block ? "%} that ends the tag" : "}} that ends the tag", "the end of the template");
    if (!open_.empty()) return false;
    const std::string_view close = is_block ? "%}" : "}}";
    const bool strips = sees("-"), keeps = is_block && sees("+");
    if (!rest().substr(strips || keeps ? 1 : 0).starts_with(close)) return false;
    add(is_block ? kind::end_block : kind::end_output, "");
    move(strips || keeps ? 3 : 2);
    if (is_block)
      after_block(strips, keeps);
    else if (strips)
      skip_space();
    return true;
  }

  void expression_token() {
    const char c = source_[at_];
    if (begins_name(c)) {
      std::size_t end = at_;
      while (end < source_.size() && (begins_name(source_[end]) || is_digit(source_[end]))) ++end;
      take(kind::name, end - at_);
    } else if (is_digit(c)) {
      number();
    } else if (c == '\'' || c == '"') {
      quoted();
    } else {
      const auto found = std::ranges::find_if(symbols, [&](auto symbol) { return sees(symbol); });
      if (found == symbols.end() || *found == "!") fail("an expression", in_quotes(character()));
      balance(c);
      take(kind::symbol, found->size());
    }
  }
  void take(kind what, std::size_t bytes) {
    add(what, std::string(rest().substr(0, bytes)));
    move(bytes);
  }
  std::string character() const { return source_.substr(at_, code_point_at(source_, at_).bytes); }

  /// Within brackets no tag ends.
  void balance(char c) {
    constexpr std::string_view opening = "([{", closing = ")]}";
    if (opening.find(c) != std::string_view::npos) open_ += c;
    const auto which = closing.find(c);
    if (which == std::string_view::npos) return;
    if (open_.empty() || open_.back() != opening[which])
      fail("a bracket that was opened", in_quotes(std::string(1, c)));
    open_.pop_back();
  }

  void number() {
    std::size_t end = at_;
    const auto digits = [&] {
      while (end < source_.size() && (is_digit(source_[end]) || source_[end] == '_')) ++end;
    };
    const auto digit_at = [&](std::size_t i) { return i < source_.size() && is_digit(source_[i]); };
    digits();
    bool is_real = false;
    if (end < source_.size() && source_[end] == '.' && digit_at(end + 1)) {
      is_real = true;
      ++end;
      digits();
    }
    if (end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
      const std::size_t sign =
          end + 1 < source_.size() && (source_[end + 1] == '+' || source_[end + 1] == '-');
      if (digit_at(end + 1 + sign)) {
        is_real = true;
        end += 1 + sign;
        digits();
      }
    }
    take(is_real ? kind::real : kind::integer, end - at_);
    std::erase(made_.back().text, '_');
  }

  void quoted() {
    const char mark = source_[at_];
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != mark) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail("a text that ends", "the end of the template");
    add(kind::text, unescaped(rest().substr(1, end - at_ - 1)));
    move(end + 1 - at_);
  }

  /// Python's escapes; a backslash before anything else stays.
  std::string unescaped(std::string_view text) const {
    constexpr std::string_view plain = "\\'\"abfnrtv", meant = "\\'\"\a\b\f\n\r\t\v";
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        made += text[i];
        continue;
      }
      const char escape = text[++i];
      const std::size_t digits = escape == 'x' ? 2 : escape == 'u' ? 4 : escape == 'U' ? 8 : 0;
      if (const auto which = plain.find(escape); which != std::string_view::npos) {
        made += meant[which];
      } else if (digits > 0) {
        append_utf8(made, code_of(text.substr(i + 1, digits), digits));
        i += digits;
      } else if (escape >= '0' && escape <= '7') {
        fail("an escape other than of octal digits", in_quotes(text.substr(i - 1, 2)));
      } else if (escape != '\n') {
        (made += '\\') += escape;
      }
    }
    return made;
  }
  std::uint32_t code_of(std::string_view digits, std::size_t count) const {
    std::uint32_t code = 0;
    constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF";
    const bool is_number =
        digits.size() == count && digits.find_first_not_of(hexadecimal) == std::string_view::npos;
    if (is_number) code = static_cast<std::uint32_t>(std::stoul(std::string(digits), nullptr, 16));
    if (!is_number || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      fail("an escape of a code point", in_quotes(digits));
    return code;
  }

  std::string source_;
  const std::string& name_;
  std::size_t at_ = 0, line_ = 1;
  bool begins_line_ = true;
  std::string open_; // brackets
  std::vector<token> made_;
};

} // namespace

std::vector<token> tokens_of(std::string_view text, const std::string& name) {
  return tokenizer(text, name).all();
}

std::string shown(const token& one) {
  switch (one.what) {
    case kind::data:
      return "text outside of tags";
    case kind::begin_output:
      return "{{";
    case kind::end_output:
      return "}}";
    case kind::begin_block:
      return "{%";
    case kind::end_block:
      return "%}";
    case kind::end:
      return "the end of the template";
    default:
      return in_quotes(one.text);
  }
}

} // namespace fovea::core::jinja
