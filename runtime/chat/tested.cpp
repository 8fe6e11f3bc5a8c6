#include <fovea/runtime/chat/functions.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/runtime/chat/letters.hpp>

#include <map>

// The tests of jinja2: what stands after `is`.

namespace fovea::core::jinja {
namespace {

using test = bool (*)(const arguments& given);

const value& subject(const arguments& given) { return given.places.front(); }

template <char operation>
bool ordered(const arguments& given) {
  const value other = given.at(1, "b");
  switch (operation) {
    case '=':
      return subject(given) == other;
    case '!':
      return !(subject(given) == other);
    case '<':
      return is_less(subject(given), other);
    case '>':
      return is_less(other, subject(given));
    case 'l':
      return compared("<=", subject(given), other);
    default:
      return compared(">=", subject(given), other);
  }
}

std::int64_t remainder(const value& of, const value& by) { return binary("%", of, by).integer(); }

bool is_sequence(const value& v) {
  return v.text() != nullptr || v.items() != nullptr || v.members() != nullptr || v.is_undefined();
}

const std::map<std::string_view, test>& tests() {
  static const std::map<std::string_view, test> all{
      {"boolean", [](auto& given) { return subject(given).truth() != nullptr; }},
      {"callable", [](auto& given) { return subject(given).call() != nullptr; }},
      {"defined", [](auto& given) { return !subject(given).is_undefined(); }},
      {"divisibleby", [](auto& given) { return remainder(subject(given), given.at(1, "num")) == 0; }},
      {"eq", ordered<'='>},
      {"equalto", ordered<'='>},
      {"even", [](auto& given) { return remainder(subject(given), std::int64_t{2}) == 0; }},
      {"false", [](auto& given) { return subject(given).truth() != nullptr && !is_true(subject(given)); }},
      {"filter", [](auto& given) { return is_filter(subject(given).text_of("the name of a filter")); }},
      {"float", [](auto& given) { return subject(given).real() != nullptr; }},
      {"ge", ordered<'g'>},
      {"greaterthan", ordered<'>'>},
      {"gt", ordered<'>'>},
      {"in", [](auto& given) { return contains(given.at(1, "seq"), subject(given)); }},
      {"integer", [](auto& given) { return subject(given).is_integer(); }},
      {"iterable", [](auto& given) { return is_sequence(subject(given)); }},
      {"le", ordered<'l'>},
      {"lessthan", ordered<'<'>},
      {"lower",
       [](auto& given) { return is_true((*method(printed(subject(given)), "islower").call())({})); }},
      {"lt", ordered<'<'>},
      {"mapping", [](auto& given) { return subject(given).members() != nullptr; }},
      {"ne", ordered<'!'>},
      {"none", [](auto& given) { return subject(given).is_none(); }},
      {"number", [](auto& given) { return subject(given).is_number(); }},
      {"odd", [](auto& given) { return remainder(subject(given), std::int64_t{2}) == 1; }},
      {"sequence", [](auto& given) { return is_sequence(subject(given)); }},
      {"string", [](auto& given) { return subject(given).text() != nullptr; }},
      {"test", [](auto& given) { return is_test(subject(given).text_of("the name of a test")); }},
      {"true", [](auto& given) { return subject(given).truth() != nullptr && is_true(subject(given)); }},
      {"undefined", [](auto& given) { return subject(given).is_undefined(); }},
      {"upper",
       [](auto& given) { return is_true((*method(printed(subject(given)), "isupper").call())({})); }},
  };
  return all;
}

} // namespace

bool is_test(std::string_view name) { return tests().contains(name); }

bool tested(std::string_view name, const arguments& given) {
  const auto found = tests().find(name);
  if (found == tests().end())
    throw error("expected one of the tests " + test_names() + "; found " + in_quotes(name));
  return found->second(given);
}

std::string test_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, call] : tests()) names.push_back(name);
  return listed(names);
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string made;
  for (const std::string_view name : names) {
    if (!made.empty()) made += name == names.back() ? " or " : ", ";
    made += name;
  }
  return made;
}

} // namespace fovea::core::jinja
