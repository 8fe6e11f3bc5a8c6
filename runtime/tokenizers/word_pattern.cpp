#include <fovea/runtime/tokenizers/word_pattern.hpp>

#include <fovea/base/utf8.hpp>

#include <utf8proc.h>

#include <algorithm>

namespace fovea::core {
namespace {

constexpr std::uint32_t bits_of(int first, int last) {
  std::uint32_t bits = 0;
  for (int category = first; category <= last; ++category) bits |= 1u << category;
  return bits;
}

std::uint32_t categories_of(char name) {
  switch (name) {
    case 'L':
      return bits_of(UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
    case 'N':
      return bits_of(UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
    case 'P':
      return bits_of(UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
    case 'S':
      return bits_of(UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
    default:
      return bits_of(UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
  }
}

std::uint32_t take(std::string_view text, std::size_t& at) {
  const auto [value, bytes] = code_point_at(text, at);
  at += bytes;
  return value;
}

/// A character behind a backslash.
std::uint32_t escaped(std::uint32_t value) {
  return value == 'n' ? '\n' : value == 'r' ? '\r' : value == 't' ? '\t' : value;
}

std::size_t number(std::string_view text, std::size_t& at) {
  std::size_t value = 0;
  for (; text[at] >= '0' && text[at] <= '9'; ++at)
    value = 10 * value + static_cast<std::size_t>(text[at] - '0');
  return value;
}

bool goes_on(std::string_view expression, std::size_t at, std::string_view with) {
  return expression.substr(at).starts_with(with);
}

} // namespace

/// One character, range or class.
void code_point_set::part::add(std::string_view expression, std::size_t& at) {
  constexpr std::string_view category = "\\p{"; // then a letter and a brace
  if (goes_on(expression, at, category)) {
    categories |= categories_of(expression[at + category.size()]);
    at += category.size() + 2;
    return;
  }
  const auto character = [&] {
    const std::uint32_t value = take(expression, at);
    return value == '\\' ? escaped(take(expression, at)) : value;
  };
  if (goes_on(expression, at, "\\s") || goes_on(expression, at, "\\S")) {
    (expression[at + 1] == 's' ? space : no_space) = true;
    at += 2;
    return;
  }
  const std::uint32_t first = character();
  const bool range =
      goes_on(expression, at, "-") && !goes_on(expression, at, "-]") && !goes_on(expression, at, "--");
  if (range) ++at;
  ranges.emplace_back(first, range ? character() : first);
}

bool code_point_set::part::has(std::uint32_t value) const {
  constexpr std::uint32_t vertical_tab = 0x0b;
  const bool white = is_white_space(value);
  if (value > 127 && white) value = vertical_tab;
  return (white ? space : no_space) ||
         (categories >> utf8proc_category(static_cast<utf8proc_int32_t>(value)) & 1u) != 0 ||
         std::ranges::any_of(
             ranges, [&](const auto& range) { return range.first <= value && value <= range.second; });
}

code_point_set::code_point_set(std::string_view expression, std::size_t& at) {
  if (expression[at] != '[') {
    in_.add(expression, at);
  } else {
    ++at;
    negated_ = expression[at] == '^';
    if (negated_) ++at;
    for (part* to = &in_; expression[at] != ']';) {
      if (goes_on(expression, at, "--")) {
        to = &without_;
        at += 2;
      }
      to->add(expression, at);
    }
    ++at;
  }
  for (std::uint32_t value = 0; value < 128; ++value) ascii_[value] = found(value);
}

bool code_point_set::found(std::uint32_t value) const {
  return (in_.has(value) && !without_.has(value)) != negated_;
}

word_pattern::word_pattern(std::string_view expression) {
  std::size_t at = 0;
  alternatives_ = parse(expression, at);
}

std::vector<word_pattern::alternative> word_pattern::parse(std::string_view expression, std::size_t& at) {
  std::vector<alternative> found(1);
  while (at < expression.size() && expression[at] != ')') {
    if (expression[at] == '|') {
      found.emplace_back();
      ++at;
      continue;
    }
    item next;
    constexpr std::string_view group = "(?:", ends = "(?!\\S)";
    if (goes_on(expression, at, ends)) {
      at += ends.size();
    } else if (goes_on(expression, at, group)) {
      at += group.size();
      next.group = parse(expression, at);
      ++at;
    } else {
      next.set.emplace_back(expression, at);
    }
    const char quantifier = at < expression.size() ? expression[at] : '\0';
    if (quantifier == '?' || quantifier == '*') next.least = 0;
    if (quantifier == '*' || quantifier == '+') next.most = none;
    if (quantifier == '{') {
      ++at;
      next.least = next.most = number(expression, at);
      if (expression[at] == ',') next.most = number(expression, ++at);
    }
    if (quantifier == '?' || quantifier == '*' || quantifier == '+' || quantifier == '{') ++at;
    found.back().push_back(std::move(next));
  }
  return found;
}

std::size_t word_pattern::match(std::string_view text, std::size_t at) const {
  return match_first(alternatives_, text, at);
}

std::size_t word_pattern::match_first(const std::vector<alternative>& alternatives, std::string_view text,
                                      std::size_t at) {
  for (const alternative& items : alternatives)
    if (const std::size_t end = match_items(items, 0, text, at); end != none) return end;
  return none;
}

std::size_t word_pattern::match_items(const alternative& items, std::size_t index, std::string_view text,
                                      std::size_t at) {
  if (index == items.size()) return at;
  const item& next = items[index];
  if (!next.group.empty()) {
    if (const std::size_t end = match_first(next.group, text, at); end != none)
      if (const std::size_t all = match_items(items, index + 1, text, end); all != none) return all;
    return next.least == 0 ? match_items(items, index + 1, text, at) : none;
  }
  if (next.set.empty()) {
    const bool ends = at == text.size() || is_white_space(code_point_at(text, at).value);
    return ends ? match_items(items, index + 1, text, at) : none;
  }
  std::size_t count = 0;
  while (count < next.most && at < text.size()) {
    const auto [value, bytes] = code_point_at(text, at);
    if (!next.set.front().contains(value)) break;
    at += bytes;
    ++count;
  }
  for (; count >= next.least && count != none; --count) {
    if (const std::size_t end = match_items(items, index + 1, text, at); end != none) return end;
    if (count > 0) at = last_code_point(text.substr(0, at));
  }
  return none;
}

} // namespace fovea::core
