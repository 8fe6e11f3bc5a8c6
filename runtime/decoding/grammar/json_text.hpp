#pragma once

#include <fovea/runtime/decoding/grammar/expression.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace fovea::core::grammar {

/// The parts of JSON as rules, of which each is made when it is first asked for.
class json_text {
public:
  explicit json_text(std::vector<expression>& rules) : rules_(rules) {}

  expression any_value() { return part(value); }
  expression any_object() { return part(object); }
  expression any_array() { return part(array); }
  expression any_string() { return part(string); }
  expression any_number() { return part(number); }
  expression any_integer() { return part(integer); }
  /// Of a string: as it is, or escaped.
  expression any_character() { return part(character); }
  /// Nothing, a space, or a new line that is indented.
  expression gap() { return part(space); }

  /// ":" and a value.
  static expression valued(expression key, expression value);
  /// A list in such brackets, of so many items.
  expression list(char begin, expression item, std::size_t least, std::size_t most, char end);

private:
  enum kind : std::size_t { value, object, array, string, number, integer, character, space, count };
  expression part(kind which);
  expression made(kind which);

  std::vector<expression>& rules_;
  std::array<std::optional<std::size_t>, count> rule_;
};

/// A boolean.
expression json_boolean();

/// What stands between the quotation marks of a string that says what `says` does. Of the ways to write a character
/// the shortest is taken.
expression in_json_string(expression says);

} // namespace fovea::core::grammar
