#include "grammar_texts.hpp"

#include <fovea/base/error.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <regex>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;
using json = nlohmann::ordered_json;

namespace {

std::size_t characters_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Whether a value is as a schema says: each keyword by the words of JSON Schema.
bool fits(const json& value, const json& schema, const json& whole) {
  if (schema.is_boolean()) return schema.get<bool>();
  const auto is = [&](const json& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number()) || (type == "boolean" && value.is_boolean()) ||
           (type == "null" && value.is_null());
  };
  const auto fits_in = [&](const json& other) { return fits(value, other, whole); };
  for (const auto& [word, says] : schema.items()) {
    if (word == "$ref" && !fits_in(whole.at(json::json_pointer(says.get<std::string>().substr(1)))))
      return false;
    if (word == "anyOf" && std::ranges::none_of(says, fits_in)) return false;
    if (word == "enum" && std::ranges::find(says, value) == says.end()) return false;
    if (word == "const" && value != says) return false;
    if (word == "type" && (says.is_array() ? std::ranges::none_of(says, is) : !is(says))) return false;
    if (value.is_string()) {
      const auto text = value.get<std::string>();
      if (word == "minLength" && characters_of(text) < says) return false;
      if (word == "maxLength" && characters_of(text) > says) return false;
      if (word == "pattern" && !std::regex_search(text, std::regex(says.get<std::string>()))) return false;
    }
    if (value.is_number()) {
      if (word == "minimum" && value < says) return false;
      if (word == "maximum" && value > says) return false;
    }
    if (value.is_array()) {
      if (word == "minItems" && value.size() < says) return false;
      if (word == "maxItems" && value.size() > says) return false;
      if (word == "items")
        for (const json& item : value)
          if (!fits(item, says, whole)) return false;
    }
    if (value.is_object()) {
      if (word == "required")
        for (const json& name : says)
          if (!value.contains(name.get<std::string>())) return false;
      if (word == "properties")
        for (const auto& [name, member] : value.items())
          if (says.contains(name) && !fits(member, says[name], whole)) return false;
      if (word == "additionalProperties")
        for (const auto& [name, member] : value.items())
          if (!(schema.contains("properties") && schema["properties"].contains(name)) &&
              !fits(member, says, whole))
            return false;
    }
  }
  return true;
}

/// A schema of everything that is known here.
json drawn_schema(std::mt19937& random, int depth) {
  const auto number = [&](std::size_t most) { return static_cast<int>(random() % most); };
  switch (random() % (depth > 0 ? 12 : 8)) {
    case 0:
      return {{"type", "string"}, {"minLength", number(3)}, {"maxLength", 3 + number(3)}};
    case 1:
      return {{"type", "string"}, {"pattern", "^[a-c\"\\\\\\n]{1,3}(x|\u00e9)$"}};
    case 2:
      return {{"type", "integer"}, {"minimum", number(400) - 300}, {"maximum", 120 + number(9000)}};
    case 3:
      return {{"type", "number"}, {"description", "any"}};
    case 4:
      return {{"type", json::array({"boolean", "null"})}};
    case 5:
      return {{"enum", {"a \"b\"", 3, nullptr, {{"x", json::array({1, 2})}}}}};
    case 6:
      return {{"const", "\u00e9\n"}};
    case 7:
      return {{"type", "string"}, {"pattern", "b+"}};
    case 8: {
      json made{{"type", "array"}, {"items", drawn_schema(random, depth - 1)}, {"minItems", number(3)}};
      if (random() % 2) made["maxItems"] = 3;
      return made;
    }
    case 9:
      return {{"anyOf", {drawn_schema(random, depth - 1), drawn_schema(random, depth - 1)}}};
    case 10:
      return {{"type", "object"}, {"additionalProperties", drawn_schema(random, depth - 1)}};
    default: {
      json made{{"type", "object"}, {"properties", json::object()}, {"required", json::array()}};
      for (int i = 0; i < number(5); ++i) {
        const std::string name = "name \"" + std::to_string(i) + "\"";
        made["properties"][name] = drawn_schema(random, depth - 1);
        if (random() % 2) made["required"].push_back(name);
      }
      made["additionalProperties"] = false;
      return made;
    }
  }
}

bool allows_json(const char* schema, const char* text) { return allows(json_schema(schema), text); }

constexpr const char* person = R"({
  "type": "object",
  "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "pets": {"type": "array", "items": {"type": "string"}}},
  "required": ["name", "pets"], "additionalProperties": false})";

constexpr const char* tree = R"({"$ref": "#/$defs/node", "$defs": {"node": {
  "type": "object", "properties": {"value": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
  "required": ["value", "next"]}}})";

} // namespace

TEST_CASE("texts that a schema's grammar draws are JSON, and fit the schema", "[grammar]") {
  std::mt19937 random(11);
  for (int round = 0; round < 150; ++round) {
    const json schema = drawn_schema(random, 3);
    CAPTURE(schema.dump());
    grammar::states states(json_schema(schema.dump()));
    for (int i = 0; i < 20; ++i) {
      const std::string text = drawn_text(states, random);
      CAPTURE(text);
      json value;
      REQUIRE_NOTHROW(value = json::parse(text));
      CHECK(fits(value, schema, schema));
      // Numbers may be shown by more digits than are written.
      if (schema.dump().find("number") == std::string::npos) CHECK(allows(states, value.dump()));
    }
  }
}

TEST_CASE("texts that any object allows are objects in JSON", "[grammar]") {
  std::mt19937 random(12);
  grammar::states states(any_json_object());
  for (int i = 0; i < 500; ++i) {
    const std::string text = drawn_text(states, random);
    CAPTURE(text);
    json value;
    REQUIRE_NOTHROW(value = json::parse(text));
    CHECK(value.is_object());
  }
  for (const char* text :
       {"{}", "{ }", R"({"a": 1})", R"({"a":{"b":[1,-2.5e-3,true,null,"x\n\u00e9\ud83d\ude00"]}})",
        "{\n  \"a\": [\n    1,\n    2\n  ]\n}"})
    CHECK(allows(states, text));
  for (const char* text : {"", "[]", "{", "{\"a\"}", "{\"a\":01}", "{\"a\":\"\\ud83d\"}", "{\"a\":\"\n\"}",
                           "{\"a\":1,}", "{} ", "{  }", "{a:1}"})
    CHECK_FALSE(allows(states, text));
}

TEST_CASE("members stand in the order of the schema, and those that are not required may be missing",
          "[grammar]") {
  CHECK(allows_json(person, R"({"name": "A", "age": 3, "pets": []})"));
  CHECK(allows_json(person, R"({"name":"A","pets":["x","y"]})"));
  CHECK(allows_json(person, "{\n  \"name\": \"A\",\n  \"pets\": [\n    \"x\"\n  ]\n}"));
  CHECK_FALSE(allows_json(person, R"({"name": "A"})"));
  CHECK_FALSE(allows_json(person, R"({"pets": [], "name": "A"})"));
  CHECK_FALSE(allows_json(person, R"({"name": "A", "pets": [], "more": 1})"));
  CHECK_FALSE(allows_json(person, R"({"name": "A", "pets": [1]})"));
  const char* optional =
      R"({"properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}}})";
  for (const char* text :
       {"{}", R"({"a":null})", R"({"b":null})", R"({"a":null,"c":null})", R"({"b":null,"c":null})"})
    CHECK(allows_json(optional, text));
  for (const char* text :
       {R"({,"b":null})", R"({"a":null,})", R"({"a":null"b":null})", R"({"c":null,"b":null})"})
    CHECK_FALSE(allows_json(optional, text));
}

TEST_CASE("schemas hold themselves", "[grammar]") {
  CHECK(allows_json(tree, R"({"value": 1, "next": {"value": 2, "next": null}})"));
  CHECK_FALSE(allows_json(tree, R"({"value": 1, "next": {"value": 2}})"));
  std::string text = "null";
  for (int i = 0; i < 500; ++i) text = R"({"value":1,"next":)" + text + "}";
  CHECK(allows_json(tree, text.c_str()));
  CHECK_FALSE(allows_json(tree, (text + "}").c_str()));
  const char* lists = R"({"type": "array", "items": {"$ref": "#"}})";
  CHECK(allows_json(lists, "[[],[[],[]]]"));
  CHECK_FALSE(allows_json(lists, "[[],[1]]"));
}

TEST_CASE("whole numbers keep their bounds", "[grammar]") {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    const int span = round % 2 ? 3000 : 30;
    const int a = static_cast<int>(random() % (2 * span)) - span,
              b = static_cast<int>(random() % (2 * span)) - span;
    const int least = std::min(a, b), most = std::max(a, b);
    CAPTURE(least, most);
    grammar::states states(
        json_schema(json{{"type", "integer"}, {"minimum", least}, {"maximum", most}}.dump()));
    for (int value = -span - 2; value < span + 2; ++value)
      CHECK(allows(states, std::to_string(value)) == (least <= value && value <= most));
  }
  const char* natural = R"({"type": "integer", "minimum": 0})";
  CHECK(allows_json(natural, "9999999999999999"));
  CHECK_FALSE(allows_json(natural, "-1"));
  CHECK_FALSE(allows_json(natural, "01"));
  CHECK(allows_json(R"({"type": "integer"})", "-120"));
  CHECK_FALSE(allows_json(R"({"type": "integer"})", "1.5"));
}

TEST_CASE("what is not known of a schema is refused by its keyword and place", "[grammar]") {
  const std::pair<const char*, const char*> cases[] = {
      {"3", "#: expected a schema, which is an object or true; found 3"},
      {R"({"type": "text"})",
       "#/type: expected one of object, array, string, integer, number, boolean, null; found \"text\""},
      {R"({"properties": {"a": {"type": "string", "format": "date"}}})",
       "#/properties/a: expected no keyword but type, minLength, maxLength, pattern beside type string; "
       "found "
       "'format'"},
      {R"({"oneOf": []})", "#: expected no keyword but type, enum, const, anyOf, $ref in a schema without a "
                           "type; found 'oneOf'"},
      {R"({"type": "number", "minimum": 1})",
       "#: expected no keyword but type beside type number; found 'minimum'"},
      {R"({"anyOf": []})", "#/anyOf: expected a list of at least one schema; found []"},
      {R"({"enum": []})", "#/enum: expected a list of at least one value; found []"},
      {R"({"type": "string", "enum": [1]})", "#: expected a value of type string; found [1]"},
      {R"({"$ref": "other.json"})",
       "#: expected a $ref to a part of the schema, as \"#/$defs/name\"; found \"other.json\""},
      {R"({"items": {"$ref": "#/$defs/a"}})",
       "#/items: expected a $ref to a part that the schema has; found \"#/$defs/a\""},
      {R"({"$ref": "#", "type": "null"})", "#: expected no keyword but $ref beside $ref; found 'type'"},
      {R"({"required": ["a"]})", "#/required: expected names that are in properties; found \"a\""},
      {R"({"properties": {"a": true}, "additionalProperties": true})",
       "#/additionalProperties: expected false beside properties: members that have no name here are not "
       "known; found true"},
      {R"({"type": "string", "minLength": 3, "maxLength": 2})",
       "#: expected a minLength of at most maxLength; found 3"},
      {R"({"pattern": "a(", "type": "string"})",
       "#/pattern: regular expression: expected ) at byte 2; found its end"},
      {R"({"pattern": "a", "minLength": 1})",
       "#: expected no minLength and no maxLength beside a pattern; found \"a\""},
  };
  for (const auto& [schema, sentence] : cases) {
    CAPTURE(schema);
    CHECK_THROWS_WITH(json_schema(schema), std::string("JSON schema: ") + sentence);
  }
  CHECK_THROWS_WITH(
      json_schema(R"({"type": "array", "minItems": -1})"),
      Catch::Matchers::StartsWith(
          "JSON schema: #/minItems: expected a whole number from 0 to 18446744073709551615; found -1"));
  CHECK_THROWS_WITH(json_schema("{"), Catch::Matchers::StartsWith("JSON schema: "));
  CHECK_THROWS_WITH(
      json_schema(R"({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}})"),
      "JSON schema: expected each $ref to lead to what says something; found one that leads to itself");
  CHECK_THROWS_WITH(json_schema(R"({"properties": {"a": {"$ref": "#"}}, "required": ["a"]})"),
                    "JSON schema: expected at least one text that it allows; found none");
  CHECK_THROWS_WITH(json_schema(R"({"type": "string", "maxLength": 1000000})"),
                    Catch::Matchers::StartsWith("JSON schema: expected at most 131072 bytes and choices"));
}
