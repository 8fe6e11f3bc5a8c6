#include "grammar_texts.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>

#include <catch2/catch.hpp>

#include <regex>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

/// A random text of these characters.
std::string text_of(std::string_view characters, std::mt19937& random) {
  std::string text(random() % 9, ' ');
  for (char& c : text) c = characters[random() % characters.size()];
  return text;
}

/// A random expression that std::regex reads alike.
std::string drawn_expression(std::mt19937& random, int depth) {
  constexpr const char* atoms[] = {"a", "b", "[ab]", "[^a]", "\\d", "\\w", "[0-9a]", ".", "\\.", "\\s"};
  constexpr const char* behind[] = {"", "", "", "?", "*", "+", "{2}", "{1,3}", "{1,}", "+?"};
  std::string made;
  for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
    const bool is_group = depth > 0 && random() % 3 == 0;
    // Repeated groups hold no repetitions, which std::regex takes too long for.
    made += is_group ? "(" + drawn_expression(random, depth - 1) + ")" : atoms[random() % std::size(atoms)];
    made += behind[random() % (is_group ? 4 : std::size(behind))];
  }
  return random() % 3 == 0 ? made + "|" + drawn_expression(random, 0) : made;
}

/// The first bytes of a text.
std::string bytes_behind(grammar::states& states, std::string_view text) {
  std::string made;
  const auto at = state_behind(states, text);
  for (int byte = 0; byte < 256; ++byte)
    if (states.next(at, static_cast<unsigned char>(byte)) != grammar::states::nowhere)
      made += static_cast<char>(byte);
  return made;
}

} // namespace

TEST_CASE("an expression allows what std::regex matches", "[grammar]") {
  std::mt19937 random(5);
  const std::string characters = "abc0129_ .-\t";
  std::size_t matched = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string expression = drawn_expression(random, 2);
    CAPTURE(expression);
    const std::regex right(expression);
    grammar::states states(regular_expression(expression));
    for (int i = 0; i < 40; ++i) {
      const std::string text = text_of(characters, random);
      CAPTURE(text);
      CHECK(allows(states, text) == std::regex_match(text, right));
      matched += std::regex_match(text, right);
    }
  }
  CHECK(matched > 1000);
}

TEST_CASE("an expression allows the texts that it says", "[grammar]") {
  struct allowed {
    const char* expression;
    std::vector<std::string> yes, no;
  };
  const std::vector<allowed> cases{
      {"", {""}, {"a"}},
      {"^ab$", {"ab"}, {"a", "abb", "xab"}},
      {"^a|b$", {"a", "b"}, {"ab", ""}},
      {"a{0}", {""}, {"a"}},
      {"(?:ab){2,}", {"abab", "ababab"}, {"ab", ""}},
      {"a{2,3}?", {"aa", "aaa"}, {"a", "aaaa"}},
      {"(a*)*b", {"b", "aab"}, {"a", ""}},
      {"[]a]", {"]", "a"}, {"[", ""}},
      {"[a\\-z-]", {"a", "-", "z"}, {"b"}},
      {"[^\\w\\s]", {"+", "\u00e9"}, {"a", "_", " "}},
      {"\\x41\\u00e9\\u20ac", {"A\u00e9\u20ac"}, {"A"}},
      {"\\{\\}\\[\\]\\(\\)\\.\\\\\\/\\$\\^\\|", {"{}[]().\\/$^|"}, {"{}"}},
      {"[\\d\\D]", {"1", "x", "\n", "\U0001f600"}, {"", "11"}},
      {".", {"x", "\r", "\u00e9", "\U0010ffff"}, {"\n", "", "ab"}},
      {"\u00e9+", {"\u00e9\u00e9"}, {"\u00e8"}},
      {"[\u00e0-\u0153]", {"\u00e0", "\u0100", "\u0153"}, {"\u0154", "a"}},
      {"[\u07ff-\U00010000]",
       {"\u07ff", "\u0800", "\ud7ff", "\ue000", "\U00010000"},
       {"\u07fe", "\U00010001"}},
      {"\\0\\t\\n\\r\\f\\v", {std::string("\0\t\n\r\f\v", 6)}, {""}},
      {"((((a{0}){10000}){10000}){10000}){10000}b", {"b"}, {"a", ""}},
      {"a||b", {"a", "", "b"}, {"ab"}},
  };
  for (const allowed& one : cases) {
    CAPTURE(one.expression);
    const byte_grammar says = regular_expression(one.expression);
    for (const std::string& text : one.yes) CHECK(allows(says, text));
    for (const std::string& text : one.no) CHECK_FALSE(allows(says, text));
  }
}

TEST_CASE("a class allows its characters byte by byte, and no bytes that are not UTF-8", "[grammar]") {
  std::mt19937 random(8);
  for (int round = 0; round < 60; ++round) {
    std::vector<grammar::code_points::range> ranges;
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
      const std::uint32_t most = random() % 2 ? 0x10ffff : 0x1000;
      std::uint32_t first = static_cast<std::uint32_t>(random() % most),
                    last = static_cast<std::uint32_t>(random() % most);
      ranges.emplace_back(std::min(first, last), std::max(first, last));
    }
    grammar::code_points set(ranges);
    if (random() % 2) set = set.complement();
    grammar::states states(byte_grammar({grammar::one_of(set)}, "a set"));
    for (int i = 0; i < 300; ++i) {
      auto value = static_cast<std::uint32_t>(random() % (i % 2 ? 0x110000 : 0x1100));
      if (i % 3 == 0) { // at an edge
        const auto& [first, last] = set.ranges()[random() % set.ranges().size()];
        value = i % 2 ? first - (first > 0 && random() % 2) : last + (last < 0x10ffff && random() % 2);
      }
      if (0xd800 <= value && value < 0xe000) continue;
      std::string text;
      append_utf8(text, value);
      CAPTURE(value);
      CHECK(allows(states, text) == set.contains(value));
    }
    for (int i = 0; i < 20; ++i) {
      const std::string text = drawn_text(states, random);
      CHECK_NOTHROW(check_utf8(text));
      CHECK(set.contains(code_point_at(text, 0).value));
    }
  }
}

TEST_CASE("a state says which bytes may come, and whether any may", "[grammar]") {
  grammar::states states(regular_expression("ab?|ac"));
  CHECK(bytes_behind(states, "") == "a");
  CHECK(bytes_behind(states, "a") == "bc");
  CHECK(bytes_behind(states, "ab").empty());
  CHECK(states.may_go_on(state_behind(states, "a")));
  CHECK(states.may_end(state_behind(states, "a")));
  CHECK_FALSE(states.may_go_on(state_behind(states, "ac")));
  CHECK(state_behind(states, "b") == grammar::states::nowhere);
  CHECK(states.size() > 2);
  states.forget();
  CHECK(states.size() == 2);
  CHECK(allows(states, "ac"));
}

TEST_CASE("states tell what they keep, and may forget all but one", "[grammar]") {
  grammar::states many(regular_expression("(?:a?){3000}"));
  state_behind(many, std::string(20, 'a'));
  CHECK(many.bytes() > 20 * 2900 * sizeof(std::uint64_t)); // each has a place for each a that may come

  grammar::states states(any_json_object());
  const std::string begin = R"({"a": [[{"b": [1, {"c": )", end = R"("d"}]}], 2]})";
  const auto before = state_behind(states, begin);
  const std::string may_come = bytes_behind(states, begin);
  auto at = states.forget_others(before);
  CHECK(states.size() == 3);
  std::string still;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (states.next(at, static_cast<unsigned char>(byte)) != grammar::states::nowhere)
      still += static_cast<char>(byte);
  CHECK(still == may_come);
  for (const char byte : end) at = states.next(at, static_cast<unsigned char>(byte));
  CHECK(states.may_end(at));
  CHECK(at == state_behind(states, begin + end));
  CHECK(states.forget_others(grammar::states::nowhere) == grammar::states::nowhere);
}

TEST_CASE("what is no regular expression is refused by its place", "[grammar]") {
  const std::pair<const char*, const char*> cases[] = {
      {"a(b", "expected ) at byte 3; found its end"},
      {"ab)", "expected an end, or ( before ) at byte 2; found ')'"},
      {"[ab", "expected ] at byte 3; found its end"},
      {"[b-a]", "expected a range of characters that ascends at byte 1; found 'b-a]'"},
      {"[\\d-x]", "expected a range of characters that ascends at byte 1; found '\\d-x]'"},
      {"[^\\d\\D]", "expected a class of at least one character at byte 0; found '[^\\d\\D]'"},
      {"*a", "expected something to repeat at byte 0; found '*a'"},
      {"a**", "expected one repetition of 'a*' at byte 2; found '*'"},
      {"a{3,2}", "expected no more than the greatest number at byte 2; found '3,2}'"},
      {"a{x}", "expected a number from 0 to 10000 at byte 2; found 'x}'"},
      {"a{99999}", "expected a number from 0 to 10000 at byte 2; found '99999}'"},
      {"a{2", "expected } at byte 3; found its end"},
      {"a}", "expected a character, or \\ before a sign at byte 1; found '}'"},
      {"a^b", "expected a character, or \\ before a sign at byte 1; found '^b'"},
      {"a$b", "expected the end of an alternative behind $ at byte 2; found 'b'"},
      {"(a$)", "expected $ outside of groups at byte 2; found '$)'"},
      {"(?=a)", "expected a group (...) or (?:...) at byte 0; found '(?=a)'"},
      {"a\\", "expected a character behind \\ at byte 1; found '\\'"},
      {"\\bx",
       "expected an escape of \\d \\w \\s \\D \\W \\S \\t \\n \\r \\f \\v \\0 \\xHH \\uHHHH or a sign at "
       "byte 0; found '\\bx'"},
      {"\\xg0", "expected 2 hexadecimal digits at byte 0; found '\\xg0'"},
  };
  for (const auto& [expression, sentence] : cases) {
    CAPTURE(expression);
    CHECK_THROWS_WITH(regular_expression(expression), std::string("regular expression: ") + sentence);
  }
  CHECK_THROWS_WITH(regular_expression("\xff"),
                    "regular expression: text: expected UTF-8; found byte 0xff at offset 0");
  CHECK_THROWS_WITH(regular_expression(std::string(101, '(')),
                    Catch::Matchers::Contains("expected at most 100 groups in each other at byte 100"));
  CHECK_THROWS_WITH(regular_expression("((a{10000}){10000})"),
                    "regular expression: expected at most 131072 bytes and choices, with repetitions written "
                    "out; found more");
  CHECK_THROWS_WITH(regular_expression("\\ud800"),
                    "regular expression: expected at least one text that it allows; found none");
}

TEST_CASE("an expression that can be read in too many ways is refused where it is", "[grammar]") {
  grammar::states states(regular_expression("(a|b)*a(a|b){5000}c"));
  std::mt19937 random(1);
  std::string text(5000, 'a');
  for (char& c : text) c = random() % 2 ? 'a' : 'b';
  CHECK_THROWS_WITH(state_behind(states, text),
                    Catch::Matchers::StartsWith("grammar: expected fewer ways to read a text"));
}
