#include <fovea/runtime/decoding/grammar/regular_expression.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/utf8.hpp>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core::grammar {
namespace {

constexpr std::size_t most_nested = 100, most_repeated = 10000;
constexpr std::string_view operators = "\\^$.|?*+()[]{}";

code_points only(std::uint32_t value) { return code_points({{value, value}}); }

class parser {
public:
  parser(std::string_view text, matches where) : text_(text), where_(where) {}

  expression whole() {
    try {
      check_utf8(text_);
    } catch (const error& problem) {
      throw error(std::string("regular expression: ") + problem.what());
    }
    expression made = alternatives();
    if (!at_end()) fail("an end, or ( before )");
    return made;
  }

private:
  bool at_end() const { return at_ == text_.size(); }
  bool is(char c) const { return !at_end() && text_[at_] == c; }
  bool skip(char c) {
    const bool found = is(c);
    if (found) ++at_;
    return found;
  }
  bool skip(std::string_view more) {
    const bool found = text_.substr(at_).starts_with(more);
    if (found) at_ += more.size();
    return found;
  }
  std::uint32_t take() {
    const code_point found = code_point_at(text_, at_);
    at_ += found.bytes;
    return found.value;
  }
  [[noreturn]] void fail(const std::string& expected) const { fail(expected, at_); }
  [[noreturn]] void fail(const std::string& expected, std::size_t at) const {
    throw error("regular expression: expected " + expected + " at byte " + std::to_string(at) + "; found " +
                (at == text_.size() ? "its end" : in_quotes(text_.substr(at))));
  }

  expression alternatives() {
    std::vector<expression> all;
    do all.push_back(one_alternative());
    while (skip('|'));
    return all.size() == 1 ? std::move(all.front()) : choice(std::move(all));
  }

  /// The signs of a text's begin and end stand at those of an alternative that is in no group.
  expression one_alternative() {
    const bool is_outer = nested_ == 0, part = is_outer && where_ == matches::part;
    std::vector<expression> parts;
    if (!(is_outer && skip('^')) && part) parts.push_back(anything());
    while (!at_end() && !is('|') && !is(')') && !is('$')) parts.push_back(repeated());
    const bool ends = is_outer && skip('$');
    if (ends && !at_end() && !is('|')) fail("the end of an alternative behind $");
    if (is('$')) fail("$ outside of groups");
    if (part && !ends) parts.push_back(anything());
    return sequence(std::move(parts));
  }
  static expression anything() {
    return repeat(one_of(code_points().complement()), 0, expression::without_end);
  }

  expression repeated() {
    const std::size_t begin = at_;
    expression one = atom();
    std::size_t least = 1, most = 1;
    if (skip('?'))
      least = 0;
    else if (skip('*'))
      least = 0, most = expression::without_end;
    else if (skip('+'))
      most = expression::without_end;
    else if (skip('{'))
      counts(least, most);
    else
      return one;
    skip('?'); // which of several matches is taken makes no other texts
    if (is('?') || is('*') || is('+') || is('{'))
      fail("one repetition of " + in_quotes(text_.substr(begin, at_ - begin)));
    return repeat(std::move(one), least, most);
  }
  void counts(std::size_t& least, std::size_t& most) {
    const std::size_t begin = at_;
    least = most = number();
    if (skip(',')) most = is('}') ? expression::without_end : number();
    if (!skip('}')) fail("}");
    if (most < least) fail("no more than the greatest number", begin);
  }
  std::size_t number() {
    std::size_t value = 0;
    const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (problem != std::errc() || value > most_repeated)
      fail("a number from 0 to " + std::to_string(most_repeated));
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  expression atom() {
    if (skip('(')) return group();
    if (skip('[')) return one_of(set());
    if (skip('.')) return one_of(only('\n').complement());
    if (is('\\')) return one_of(escape());
    if (is('?') || is('*') || is('+') || is('{')) fail("something to repeat");
    if (operators.find(text_[at_]) != std::string_view::npos) fail("a character, or \\ before a sign");
    return one_of(only(take()));
  }
  expression group() {
    const std::size_t begin = at_ - 1;
    if (!skip("?:") && is('?')) fail("a group (...) or (?:...)", begin);
    if (++nested_ > most_nested)
      fail("at most " + std::to_string(most_nested) + " groups in each other", begin);
    expression made = alternatives();
    if (!skip(')')) fail(")");
    --nested_;
    return made;
  }

  code_points set() {
    const std::size_t begin = at_ - 1;
    const bool is_others = skip('^');
    std::vector<code_points::range> all;
    do {
      if (at_end()) fail("]");
      const code_points more = members();
      all.insert(all.end(), more.ranges().begin(), more.ranges().end());
    } while (!skip(']'));
    code_points made(std::move(all));
    if (is_others) made = made.complement();
    if (made.empty()) fail("a class of at least one character", begin);
    return made;
  }
  /// A character, a range, or a class of a letter.
  code_points members() {
    const std::size_t begin = at_;
    const code_points first = member();
    if (!is('-') || text_.substr(at_).starts_with("-]")) return first;
    ++at_;
    if (at_end()) fail("]");
    const auto low = value_of(first), high = value_of(member());
    if (!low || !high || *low > *high) fail("a range of characters that ascends", begin);
    return code_points({{*low, *high}});
  }
  code_points member() {
    if (is('\\')) return escape();
    return only(take());
  }
  static std::optional<std::uint32_t> value_of(const code_points& set) {
    const auto [first, last] = set.ranges().front();
    return set.ranges().size() == 1 && first == last ? std::optional(first) : std::nullopt;
  }

  code_points escape() {
    const std::size_t begin = at_++;
    if (at_end()) fail("a character behind \\", begin);
    const std::uint32_t c = take();
    switch (c) {
      case 'd':
        return digits();
      case 'D':
        return digits().complement();
      case 'w':
        return word();
      case 'W':
        return word().complement();
      case 's':
        return space();
      case 'S':
        return space().complement();
      case 't':
        return only('\t');
      case 'n':
        return only('\n');
      case 'r':
        return only('\r');
      case 'f':
        return only('\f');
      case 'v':
        return only('\v');
      case '0':
        return only(0);
      case 'x':
        return only(hexadecimal(2, begin));
      case 'u':
        return only(hexadecimal(4, begin));
      default:
        break;
    }
    const bool is_sign = c < 0x80 && !word().contains(c);
    if (!is_sign)
      fail("an escape of \\d \\w \\s \\D \\W \\S \\t \\n \\r \\f \\v \\0 \\xHH \\uHHHH or a sign", begin);
    return only(c);
  }
  std::uint32_t hexadecimal(std::size_t count, std::size_t begin) {
    const std::string_view digits = text_.substr(at_, count);
    std::uint32_t value = 0;
    constexpr int base = 16;
    if (digits.size() != count ||
        std::from_chars(digits.data(), digits.data() + count, value, base).ptr != digits.data() + count)
      fail(std::to_string(count) + " hexadecimal digits", begin);
    at_ += count;
    return value;
  }
  static code_points digits() { return code_points({{'0', '9'}}); }
  static code_points word() { return code_points({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}); }
  static code_points space() { return code_points({{'\t', '\r'}, {' ', ' '}}); }

  std::string_view text_;
  matches where_;
  std::size_t at_ = 0, nested_ = 0;
};

} // namespace

expression parse_regular_expression(std::string_view text, matches where) {
  return parser(text, where).whole();
}

} // namespace fovea::core::grammar
