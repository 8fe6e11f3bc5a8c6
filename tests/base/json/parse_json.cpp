#include <fovea/base/json/parse_json.hpp>

#include "../../weights/temporary_folder.hpp"

#include <fovea/base/in_quotes.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string refusal(const std::string& text) {
  return message_of<malformed_json>([&] { parse_json(text); });
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

} // namespace

TEST_CASE("every kind of value is read", "[json]") {
  const std::string text =
      R"({"n": null, "t": true, "i": -3, "u": 18446744073709551615, "f": 0.5, "s": "a\n", "l": [1, [], {}], "o": {"x": {}}})";
  CHECK(*parse_json(text) == json::parse(text));
  for (const char* alone : {"null", "3", "\"x\"", "[]", "{}"})
    CHECK(*parse_json(alone) == json::parse(alone));
}

TEST_CASE("the parts of a text that are taken are handed out and not kept", "[json]") {
  const std::string text =
      R"({"vocab": {"z": 0}, "model": {"vocab": {"a": 1, "b": [2, {"vocab": 3}], "a": 4}, "type": "BPE", "merges": ["x y", [5]]}})";
  std::vector<std::pair<std::string, json>> taken;
  const auto take = [&](const std::string& name, const json& value) { taken.emplace_back(name, value); };
  static constexpr std::array<std::string_view, 2> vocab{"model", "vocab"}, merges{"model", "merges"};
  const std::array<taken_part, 2> parts{{{vocab, false, take}, {merges, true, take}}};
  const json_document rest = parse_json(text, parts);
  CHECK(*rest == json{{"vocab", {{"z", 0}}},
                      {"model", {{"vocab", json::object()}, {"type", "BPE"}, {"merges", json::array()}}}});
  REQUIRE(taken.size() == 5);
  CHECK(taken[0] == std::pair<std::string, json>("a", 1));
  CHECK(taken[1] == std::pair<std::string, json>("b", json{2, {{"vocab", 3}}}));
  CHECK(taken[2] == std::pair<std::string, json>("a", 4));
  CHECK(taken[3] == std::pair<std::string, json>("", "x y"));
  CHECK(taken[4] == std::pair<std::string, json>("", json{5}));

  taken.clear();
  const taken_part whole{.path = {}, .take = take};
  CHECK(parse_json(R"({"a": {"b": 1}})", {&whole, 1})->empty());
  CHECK(taken == std::vector<std::pair<std::string, json>>{{"a", {{"b", 1}}}});
  // Where the path leads to something else, nothing is.
  taken.clear();
  CHECK(*parse_json(R"({"model": {"vocab": [1]}})", parts) == json{{"model", {{"vocab", {1}}}}});
  CHECK(*parse_json(R"({"model": {"merges": {"a": 1}}})", parts) ==
        json{{"model", {{"merges", {{"a", 1}}}}}});
  CHECK(*parse_json(R"([{"vocab": {"a": 1}}])", parts) == json::array({{{"vocab", {{"a", 1}}}}}));
  CHECK(taken.empty());
}

TEST_CASE("lists and objects nest 64 deep and no deeper", "[json]") {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    CHECK(refusal(nested(64, open, close)).empty());
    for (const std::size_t depth : {65u, 1u << 20})
      CHECK(refusal(nested(depth, open, close)) ==
            "expected lists and objects nested at most 64 deep; found more");
    CHECK(refusal(nested(1 << 20, open, "")) ==
          "expected lists and objects nested at most 64 deep; found more");
  }
}

TEST_CASE("what is no JSON is said shortly", "[json]") {
  CHECK_THAT(refusal(""), Contains("not valid JSON: parse error at line 1, column 1: "));
  CHECK_THAT(refusal("{\"a\":1}x"), Contains("not valid JSON: ") && Contains("x"));
  CHECK_THAT(refusal("\"\xff\""), Contains("not valid JSON: "));
  CHECK(refusal(R"({"a": 1, "b": {"a": 2}, "a": 3})") ==
        "expected each name in an object once; found 'a' twice");
  const std::string word(1 << 20, 'w');
  for (const std::string& text : {"\"" + word, "\"" + word + "\n\"", "[1" + std::string(1 << 20, '0') + "]",
                                  "{\"" + word + "\":1,\"" + word + "\":2}", "[1 \"" + word + "\"]"}) {
    const std::string said = refusal(text);
    CHECK(!said.empty());
    CHECK(said.size() < 400);
  }
}

TEST_CASE("a file of JSON is named", "[json]") {
  const temporary_folder folder;
  CHECK(*load_json(folder.write("x.json", "[1]")) == json{1});
  CHECK_THAT(message_of<error>([&] { load_json(folder.write("y.json", "[1")); }),
             Contains("y.json: not valid JSON: "));
  CHECK_THAT(message_of<error>([&] { load_json(folder / "none"); }), Contains("none: cannot open: "));
}

TEST_CASE("values are shown shortly", "[json]") {
  CHECK(shown(json::parse("[8,0]")) == "[8,0]");
  CHECK(shown(json::parse("[1,2,3,4,5]")) == "array");
  CHECK(shown(json::parse("[[]]")) == "array");
  CHECK(shown(json::parse("{}")) == "object");
  CHECK(shown("two") == "\"two\"");
  CHECK(shown(2.0) == "2.0");
  CHECK(shown(std::string(1000, 'a')) == "\"" + std::string(79, 'a') + "…");
}

TEST_CASE("texts from outside are quoted shortly", "[json]") {
  CHECK(in_quotes("") == "''");
  CHECK(in_quotes("a 'b'") == "'a 'b''");
  CHECK(in_quotes("h\u00e9\n\x1b[1m\x7f") == "'h\u00e9\\x0a\\x1b[1m\\x7f'");
  CHECK(in_quotes("\xff!") == "'\ufffd!'");
  CHECK(in_quotes(std::string(80, 'x')) == "'" + std::string(80, 'x') + "'");
  CHECK(in_quotes(std::string(81, 'x')) == "'" + std::string(80, 'x') + "…'");
  // No code point is cut.
  CHECK(in_quotes(std::string(79, 'x') + "\u00e9") == "'" + std::string(79, 'x') + "…'");
  CHECK(shortened("abcdef", 3) == "abc…");
}
