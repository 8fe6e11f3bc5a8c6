#include <fovea/runtime/decoding/grammar/json_text.hpp>

#include <fovea/runtime/decoding/grammar/json_numbers.hpp>

#include <string>
#include <utility>

namespace fovea::core::grammar {
namespace {

constexpr std::size_t without_end = expression::without_end;
constexpr std::size_t most_indented = 32;

expression digits(std::size_t least, std::size_t most) {
  return repeat(one_of(code_points({{'0', '9'}})), least, most);
}
expression one_char_of(const char* signs) {
  std::vector<code_points::range> all;
  for (; *signs != 0; ++signs) all.emplace_back(*signs, *signs);
  return one_of(code_points(std::move(all)));
}
expression hexadecimal(std::size_t count) {
  return repeat(one_of(code_points({{'0', '9'}, {'A', 'F'}, {'a', 'f'}})), count, count);
}

/// What a string holds as an escape alone.
code_points escaped() { return code_points({{0, 0x1f}, {'"', '"'}, {'\\', '\\'}}); }

/// The shortest escape.
std::string escape_of(std::uint32_t value) {
  constexpr std::pair<char, char> letters[] = {{'"', '"'},  {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'},
                                               {'\n', 'n'}, {'\r', 'r'},  {'\t', 't'}};
  for (const auto& [c, letter] : letters)
    if (static_cast<std::uint32_t>(c) == value) return {'\\', letter};
  constexpr const char* digits = "0123456789abcdef";
  return std::string("\\u00") + digits[value >> 4] + digits[value & 15];
}

/// An escape by number: a code unit that is no surrogate, or two that are a pair.
expression numbered_escape() {
  const expression begin = text_of("\\u");
  return choice(
      {sequence({begin, one_of(code_points({{'0', '9'}, {'A', 'C'}, {'E', 'F'}, {'a', 'c'}, {'e', 'f'}})),
                 hexadecimal(3)}),
       sequence({begin, one_char_of("dD"), one_char_of("01234567"), hexadecimal(2)}),
       sequence({begin, one_char_of("dD"), one_char_of("89abAB"), hexadecimal(2), begin, one_char_of("dD"),
                 one_char_of("cdefCDEF"), hexadecimal(2)})});
}

expression whole_part() {
  return sequence({optional(text_of("-")),
                   choice({text_of("0"),
                           sequence({one_of(code_points({{'1', '9'}})), digits(0, most_json_digits - 1)})})});
}

} // namespace

expression json_text::part(kind which) {
  if (!rule_[which]) {
    rule_[which] = rules_.size();
    rules_.emplace_back();
    expression says = made(which);
    rules_[*rule_[which]] = std::move(says);
  }
  return rule_of(*rule_[which]);
}

expression json_text::made(kind which) {
  switch (which) {
    case value:
      return choice({any_object(), any_array(), any_string(), any_number(), json_boolean(), text_of("null")});
    case object:
      return list('{', valued(any_string(), any_value()), 0, without_end, '}');
    case array:
      return list('[', any_value(), 0, without_end, ']');
    case string:
      return sequence({text_of("\""), repeat(any_character(), 0, without_end), text_of("\"")});
    case number:
      return sequence({whole_part(), optional(sequence({text_of("."), digits(1, most_json_digits)})),
                       optional(sequence({one_char_of("eE"), optional(one_char_of("+-")), digits(1, 2)}))});
    case integer:
      return whole_part();
    case character:
      return choice({one_of(escaped().complement()), sequence({text_of("\\"), one_char_of("\"\\/bfnrt")}),
                     numbered_escape()});
    case space:
      return optional(
          choice({text_of(" "), sequence({text_of("\n"), repeat(text_of(" "), 0, most_indented)})}));
    case count:
      break;
  }
  return {};
}

expression json_text::valued(expression key, expression value) {
  return sequence({std::move(key), text_of(":"), optional(text_of(" ")), std::move(value)});
}

expression json_text::list(char begin, expression item, std::size_t least, std::size_t most, char end) {
  const expression close = sequence({gap(), text_of({end})});
  std::vector<expression> forms;
  if (least == 0) forms.push_back(close);
  if (most > 0) {
    expression more = sequence({text_of(","), gap(), item});
    forms.push_back(sequence(
        {gap(), std::move(item),
         repeat(std::move(more), least == 0 ? 0 : least - 1, most == without_end ? most : most - 1), close}));
  }
  return sequence({text_of({begin}), choice(std::move(forms))});
}

expression json_boolean() { return choice({text_of("true"), text_of("false")}); }

expression in_json_string(expression says) {
  if (says.what != expression::kind::set) {
    for (expression& part : says.parts) part = in_json_string(std::move(part));
    return says;
  }
  const code_points needed = escaped();
  std::vector<expression> ways{one_of(says.set.without(needed))};
  for (const auto& [first, last] : needed.ranges())
    for (std::uint32_t value = first; value <= last; ++value)
      if (says.set.contains(value)) ways.push_back(text_of(escape_of(value)));
  return ways.size() == 1 ? std::move(ways.front()) : choice(std::move(ways));
}

} // namespace fovea::core::grammar
