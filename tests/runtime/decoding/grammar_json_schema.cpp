#include "grammar_texts.hpp"

#include <fovea/base/error.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <limits>
#include <random>
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
    if (word == "oneOf" && std::ranges::count_if(says, fits_in) != 1) return false;
    if (word == "allOf" && !std::ranges::all_of(says, fits_in)) return false;
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
      if (word == "exclusiveMinimum" && value <= says) return false;
      if (word == "exclusiveMaximum" && value >= says) return false;
      if (word == "multipleOf" && value.get<std::int64_t>() % says.get<std::int64_t>() != 0) return false;
    }
    if (value.is_array()) {
      if (word == "minItems" && value.size() < says) return false;
      if (word == "maxItems" && value.size() > says) return false;
      if (word == "prefixItems")
        for (std::size_t i = 0; i < std::min(says.size(), value.size()); ++i)
          if (!fits(value[i], says[i], whole)) return false;
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
  switch (random() % (depth > 0 ? 20 : 11)) {
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
    case 8:
      return {{"type", "integer"}, {"exclusiveMinimum", -number(400)}, {"multipleOf", 1 + number(30)}};
    case 9:
      return {
          {"type", "number"}, {"minimum", 0.25 * number(9) - 1}, {"exclusiveMaximum", 2 + 0.5 * number(90)}};
    case 10:
      return {{"type", "string"}, {"pattern", "^[A-Z][a-z]*$"}, {"minLength", number(3)}, {"maxLength", 4}};
    case 11: {
      json made{{"oneOf", json::array()}};
      for (const char* kind : {"a", "b", "c"})
        made["oneOf"].push_back(
            {{"type", "object"},
             {"properties", {{"kind", {{"const", kind}}}, {"value", drawn_schema(random, depth - 1)}}},
             {"required", {"value", "kind"}}});
      made["oneOf"].push_back({{"type", "null"}});
      return made;
    }
    case 12:
      return {{"allOf", {drawn_schema(random, depth - 1)}}, {"description", "one"}};
    case 13: {
      const auto part = [&](const char* name) {
        return json{
            {"type", "object"},
            {"properties", {{name, drawn_schema(random, depth - 1)}, {"both", {{"type", "integer"}}}}},
            {"required", {name}}};
      };
      return {{"allOf", {part("first"), part("second")}}, {"required", {"both"}}};
    }
    case 14: {
      const json first = drawn_schema(random, depth - 1), second = drawn_schema(random, depth - 1);
      return {{"type", "array"}, {"prefixItems", {first, second}}, {"minItems", 2}, {"maxItems", 2}};
    }
    case 15: {
      json made{{"type", "array"}, {"items", drawn_schema(random, depth - 1)}, {"minItems", number(3)}};
      if (random() % 2) made["maxItems"] = 3;
      return made;
    }
    case 16:
      return {{"anyOf", {drawn_schema(random, depth - 1), drawn_schema(random, depth - 1)}}};
    case 17:
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

/// The smaller and the larger of two whole numbers, both at least -span and below span.
std::pair<int, int> drawn_bounds(std::mt19937& random, int span) {
  std::uniform_int_distribution<int> bound(-span, span - 1);
  const int one = bound(random);
  return std::minmax({one, bound(random)});
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
    const auto [least, most] = drawn_bounds(random, span);
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

/// A number of hundredths, with so many digits behind the point.
std::string hundredths(int value, int digits) {
  const std::string text = std::to_string(std::abs(value) + 100);
  std::string whole = std::to_string(std::abs(value) / 100), fraction = text.substr(text.size() - 2) + "000";
  return (value < 0 ? "-" : "") + whole +
         (digits > 0 ? "." + fraction.substr(0, static_cast<std::size_t>(digits)) : "");
}

TEST_CASE("numbers keep their bounds, to the last digit", "[grammar]") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const int span = round % 2 ? 1300 : 150;
    const auto [least, last] = drawn_bounds(random, span);
    const int most = last + 1;
    const bool is_open = random() % 2, is_closed_behind = random() % 2;
    CAPTURE(least, most, is_open, is_closed_behind);
    json schema{{"type", "number"}};
    if (round % 5 != 3) schema[is_open ? "exclusiveMinimum" : "minimum"] = least / 100.0;
    if (round % 5 != 4) schema[is_closed_behind ? "maximum" : "exclusiveMaximum"] = most / 100.0;
    grammar::states states(json_schema(schema.dump()));
    for (int value = -span - 3; value < span + 3; ++value) {
      const bool fits = (round % 5 == 3 || (is_open ? value > least : value >= least)) &&
                        (round % 5 == 4 || (is_closed_behind ? value <= most : value < most));
      for (int digits = value % 100 == 0 ? 0 : value % 10 == 0 ? 1 : 2; digits <= 4; ++digits)
        CHECK(allows(states, hundredths(value, digits)) == fits);
    }
  }
  const char* share = R"({"type": "number", "exclusiveMinimum": 0, "maximum": 1.0})";
  for (const char* text : {"1", "1.0", "0.5", "0.0000000000000001", "1.0000000000000000"})
    CHECK(allows_json(share, text));
  for (const char* text : {"0", "0.0", "-0", "-0.0", "-0.5", "1.0000000000000001", "1e0", "01", "1.", ".5"})
    CHECK_FALSE(allows_json(share, text));
  const char* tiny = R"({"type": "number", "minimum": -1e300, "maximum": 1e-7})";
  CHECK(allows_json(tiny, "0.0000001"));
  CHECK_FALSE(allows_json(tiny, "0.0000002"));
  CHECK(allows_json(tiny, "-9999999999999999.9"));
  const char* cents = R"({"type": "number", "minimum": 0, "multipleOf": 0.01})";
  CHECK(allows_json(cents, "3.25"));
  CHECK(allows_json(cents, "3"));
  CHECK_FALSE(allows_json(cents, "3.255"));
  CHECK_FALSE(allows_json(R"({"type": "number", "multipleOf": 1})", "3.5"));
}

TEST_CASE("bounds of whole numbers may be fractions, and open", "[grammar]") {
  const auto allowed = [](const char* schema) {
    std::string made;
    grammar::states states(json_schema(schema));
    for (int value = -5; value <= 5; ++value)
      if (allows(states, std::to_string(value))) made += std::to_string(value) + " ";
    return made;
  };
  CHECK(allowed(R"({"type": "integer", "minimum": -1.5, "maximum": 1.5})") == "-1 0 1 ");
  CHECK(allowed(R"({"type": "integer", "exclusiveMinimum": -2, "exclusiveMaximum": 2})") == "-1 0 1 ");
  CHECK(allowed(R"({"type": "integer", "minimum": 2.5})") == "3 4 5 ");
  CHECK(allowed(R"({"type": "integer", "exclusiveMaximum": -3.0})") == "-5 -4 ");
  CHECK(allowed(R"({"type": "integer", "maximum": -2.5})") == "-5 -4 -3 ");
}

TEST_CASE("whole numbers are multiples", "[grammar]") {
  for (const int of : {2, 3, 7, 10, 25, 60, 100, 360, 1000}) {
    CAPTURE(of);
    grammar::states all(json_schema(json{{"type", "integer"}, {"multipleOf", of}}.dump()));
    const int least = -3 * of / 2, most = 2000 + of / 3;
    grammar::states some(json_schema(
        json{{"type", "integer"}, {"multipleOf", of}, {"minimum", least}, {"exclusiveMaximum", most}}
            .dump()));
    for (int value = -2500; value < 2500; ++value) {
      CHECK(allows(all, std::to_string(value)) == (value % of == 0));
      CHECK(allows(some, std::to_string(value)) == (value % of == 0 && least <= value && value < most));
    }
    CHECK_FALSE(allows(all, "00"));
    CHECK_FALSE(allows(all, "-0"));
  }
  CHECK_THROWS_WITH(json_schema(R"({"type": "integer", "multipleOf": 7, "minimum": 8, "maximum": 13})"),
                    "JSON schema: #: expected a number that its bounds and multipleOf allow; found none");
}

TEST_CASE("multiples of one number share their rules, and too many are refused before they take memory",
          "[grammar]") {
  const auto members = [](int count, const json& schema) {
    json all = json::object();
    for (int i = 0; i < count; ++i) all["m" + std::to_string(i)] = schema;
    return json{{"type", "object"}, {"properties", all}, {"required", json::array({"m0"})}}.dump();
  };
  const byte_grammar some = json_schema(members(20, {{"type", "integer"}, {"multipleOf", 7}}));
  CHECK(allows(some, R"({"m0":-9999999999999996,"m19":14})")); // the least of 16 digits
  CHECK_FALSE(allows(some, R"({"m0":-9999999999999997})"));
  const byte_grammar few =
      json_schema(members(1, {{"type", "integer"}, {"multipleOf", 997}, {"minimum", 0}, {"maximum", 9999}}));
  CHECK(allows(few, R"({"m0":9970})"));
  CHECK_FALSE(allows(few, R"({"m0":10967})"));
  CHECK_THROWS_WITH(json_schema(members(200, {{"type", "integer"}, {"multipleOf", 997}})),
                    "JSON schema: expected at most 131072 bytes and choices, with repetitions written out; "
                    "found more");
  CHECK_THROWS_WITH(json_schema(members(5001, true)),
                    "JSON schema: expected objects of at most 5000 members; found one of 5001");
}

TEST_CASE("formats of strings", "[grammar]") {
  struct format {
    const char* name;
    std::vector<const char*> allowed, refused;
  };
  const format formats[] = {
      {"date",
       {"2024-02-29", "2000-02-29", "1999-12-31", "2023-04-30"},
       {"2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-00-10", "2023-1-1", "2023-01-32"}},
      {"time",
       {"23:59:59Z", "00:00:00+01:30", "12:30:01.25-05:00"},
       {"24:00:00Z", "12:60:00Z", "12:30Z", "12:30:00"}},
      {"date-time",
       {"2024-02-29T12:00:00Z", "1985-04-12T23:20:50.52Z"},
       {"2024-02-29 12:00:00Z", "2024-02-30T12:00:00Z"}},
      {"duration",
       {"P1D", "PT36H", "P1Y2M3DT4H5M6S", "P3W", "PT5M"},
       {"P", "PT", "P1DT", "1D", "P1W2D", "P1H"}},
      {"uuid",
       {"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"},
       {"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"}},
      {"uuid4", {"f47ac10b-58cc-4372-a567-0e02b2c3d479"}, {"f47ac10b-58cc-1372-a567-0e02b2c3d479"}},
      {"email",
       {"a@b.org", "first.last+tag@mail.example.com"},
       {"a", "a@", "@b.org", "a@b", ".a@b.org", "a b@c.org", "a@-b.org"}},
      {"hostname", {"localhost", "www.example.com", "a-b.c"}, {"", "-a", "a-", "a..b", "a_b"}},
      {"ipv4", {"0.0.0.0", "255.249.99.9"}, {"256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"}},
      {"ipv6",
       {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "fe80::1:2", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3::8"},
       {":", "1", "1:2:3:4:5:6:7", "1::2::3", "1:2:3:4:5:6:7:8:9", "12345::", "1:2:3:4:5:6:7::8:9", ":::"}},
      {"uri",
       {"https://example.com", "http://localhost:8080/a/b?q=1&r=%20#top", "ftp://files.example.com/x"},
       {"example.com", "https://", "https:///a", "https://a b", "https://a/%2", "1http://a",
        "https://a#b#c"}},
      {"password", {"", "any thing"}, {}}};
  const auto quoted = [](const char* text) { return "\"" + std::string(text) + "\""; };
  for (const auto& [name, allowed, refused] : formats) {
    grammar::states states(json_schema(json{{"type", "string"}, {"format", name}}.dump()));
    for (const char* text : allowed) {
      CAPTURE(name, text);
      CHECK(allows(states, quoted(text)));
    }
    for (const char* text : refused) {
      CAPTURE(name, text);
      CHECK_FALSE(allows(states, quoted(text)));
    }
  }
}

TEST_CASE("schemas as pydantic writes them", "[grammar]") {
  // class Item(BaseModel): sku: constr(pattern=r"^[A-Z]{3}-\d{4}$", max_length=8); count: int = Field(gt=0, multiple_of=6)
  //     price: float = Field(ge=0, lt=1000); added: datetime; maker: HttpUrl | None = None; size: tuple[int, int]
  const char* item = R"({
    "properties": {
      "sku": {"maxLength": 8, "pattern": "^[A-Z]{3}-\\d{4}$", "title": "Sku", "type": "string"},
      "count": {"exclusiveMinimum": 0, "multipleOf": 6, "title": "Count", "type": "integer"},
      "price": {"exclusiveMaximum": 1000, "minimum": 0, "title": "Price", "type": "number"},
      "added": {"format": "date-time", "title": "Added", "type": "string"},
      "maker": {"anyOf": [{"format": "uri", "maxLength": 2083, "minLength": 1, "type": "string"}, {"type": "null"}],
                "default": null, "title": "Maker"},
      "size": {"maxItems": 2, "minItems": 2, "prefixItems": [{"type": "integer"}, {"type": "integer"}], "title": "Size",
               "type": "array"}},
    "required": ["sku", "count", "price", "added", "size"], "title": "Item", "type": "object"})";
  CHECK(
      allows_json(item, R"({"sku": "ABC-0001", "count": 12, "price": 999.99, "added": "2024-05-01T08:00:00Z",
  "maker": "https://example.com/a", "size": [3, 4]})"));
  CHECK(allows_json(item,
                    R"({"sku":"ABC-0001","count":6,"price":0,"added":"2024-05-01T08:00:00Z","size":[3,4]})"));
  for (const char* wrong :
       {R"({"sku":"ABC-01","count":6,"price":0,"added":"2024-05-01T08:00:00Z","size":[3,4]})",
        R"({"sku":"ABC-0001","count":0,"price":0,"added":"2024-05-01T08:00:00Z","size":[3,4]})",
        R"({"sku":"ABC-0001","count":6,"price":1000,"added":"2024-05-01T08:00:00Z","size":[3,4]})",
        R"({"sku":"ABC-0001","count":6,"price":0,"added":"2024-05-01","size":[3,4]})",
        R"({"sku":"ABC-0001","count":6,"price":0,"added":"2024-05-01T08:00:00Z","size":[3]})"})
    CHECK_FALSE(allows_json(item, wrong));

  // class Cat(BaseModel): kind: Literal["cat"] = "cat"; lives: int
  // class Dog(BaseModel): kind: Literal["dog"] = "dog"; name: str
  // class Home(BaseModel): pet: Annotated[Cat | Dog, Field(discriminator="kind")]
  const char* home = R"({
    "$defs": {
      "Cat": {"properties": {"kind": {"const": "cat", "default": "cat", "title": "Kind", "type": "string"},
                             "lives": {"title": "Lives", "type": "integer"}},
              "required": ["lives"], "title": "Cat", "type": "object"},
      "Dog": {"properties": {"kind": {"const": "dog", "default": "dog", "title": "Kind", "type": "string"},
                             "name": {"title": "Name", "type": "string"}},
              "required": ["name"], "title": "Dog", "type": "object"}},
    "properties": {"pet": {"discriminator": {"mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}, "propertyName": "kind"},
                           "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}], "title": "Pet"}},
    "required": ["pet"], "title": "Home", "type": "object"})";
  CHECK(allows_json(home, R"({"pet": {"kind": "cat", "lives": 9}})"));
  CHECK(allows_json(home, R"({"pet": {"kind": "dog", "name": "Rex"}})"));
  CHECK_FALSE(allows_json(home, R"({"pet": {"kind": "dog", "lives": 9}})"));
  CHECK_FALSE(allows_json(home, R"({"pet": {"lives": 9}})"));

  // As of 2.8: class Color(Enum): red = "red"; class Pen(BaseModel): color: Color = Color.red; kind: Literal["pen"]
  const char* pen = R"({
    "$defs": {"Color": {"enum": ["red", "blue"], "title": "Color", "type": "string"}},
    "properties": {"color": {"allOf": [{"$ref": "#/$defs/Color"}], "default": "red"},
                   "kind": {"const": "pen", "enum": ["pen"], "title": "Kind", "type": "string"}},
    "required": ["kind"], "title": "Pen", "type": "object"})";
  CHECK(allows_json(pen, R"({"color": "blue", "kind": "pen"})"));
  CHECK(allows_json(pen, R"({"kind": "pen"})"));
  CHECK_FALSE(allows_json(pen, R"({"color": "green", "kind": "pen"})"));

  // class Node(BaseModel): value: PositiveInt; children: list["Node"] = []
  const char* node = R"({
    "$defs": {"Node": {"properties": {"value": {"exclusiveMinimum": 0, "title": "Value", "type": "integer"},
                                      "children": {"default": [], "items": {"$ref": "#/$defs/Node"}, "title": "Children", "type": "array"}},
                       "required": ["value"], "title": "Node", "type": "object"}},
    "$ref": "#/$defs/Node"})";
  CHECK(allows_json(node, R"({"value": 1, "children": [{"value": 2}, {"value": 3, "children": []}]})"));
  CHECK_FALSE(allows_json(node, R"({"value": 1, "children": [{"value": 0}]})"));
}

TEST_CASE("allOf joins members, and schemas that hold themselves", "[grammar]") {
  const char* named_tree = R"({
    "allOf": [{"$ref": "#/$defs/tree"}, {"properties": {"name": {"type": "string"}}, "required": ["name"]}],
    "$defs": {"tree": {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}, "required": ["next"]}}})";
  CHECK(allows_json(named_tree, R"({"next": {"next": null, "name": "b"}, "name": "a"})"));
  CHECK_FALSE(allows_json(named_tree, R"({"next": {"next": null}, "name": "a"})"));
  const char* narrowed = R"({
    "allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"minimum": 3}}}], "type": "object"})";
  CHECK(allows_json(narrowed, R"({"a": 3})"));
  CHECK_FALSE(allows_json(narrowed, R"({"a": 2})"));
  CHECK_FALSE(allows_json(narrowed, R"({"a": 3.5})"));
  // Two ways from each schema to the next, 2^45 to the last.
  json twice{{"$ref", "#/$defs/0"}, {"$defs", json::object()}};
  for (int i = 0; i < 45; ++i) {
    const json next{{"$ref", "#/$defs/" + std::to_string(i + 1)}};
    twice["$defs"][std::to_string(i)] = {{"allOf", {next, next}}};
  }
  twice["$defs"]["45"] = {{"properties", {{"a", {{"type", "null"}}}}}};
  CHECK(allows_json(twice.dump().c_str(), R"({"a": null})"));
  CHECK_FALSE(allows_json(twice.dump().c_str(), R"({"a": 1})"));
}

TEST_CASE("what is not known of a schema is refused by its keyword and place", "[grammar]") {
  const std::pair<const char*, const char*> cases[] = {
      {"3", "#: expected a schema, which is an object or true; found 3"},
      {R"({"type": "text"})",
       "#/type: expected one of object, array, string, integer, number, boolean, null; found \"text\""},
      {R"({"properties": {"a": {"type": "string", "contentEncoding": "base64"}}})",
       "#/properties/a: expected no keyword but type, minLength, maxLength, pattern, format beside type "
       "string; found 'contentEncoding'"},
      {R"({"type": "string", "format": "color"})", "#/format: expected one of date, time, date-time, "
                                                   "duration, uuid, uuid4, email, hostname, ipv4, ipv6, uri, "
                                                   "password, binary, path; found \"color\""},
      {R"({"type": "string", "format": "date", "pattern": "a"})",
       "#: expected no format beside a pattern; found \"date\""},
      {R"({"type": "string", "format": "uri", "maxLength": 20})",
       "#: expected a format of which minLength and maxLength bound one repetition alone; found \"uri\""},
      {R"({"not": {}})",
       "#: expected no keyword but type, enum, const, anyOf, oneOf, allOf, $ref in a schema "
       "without a type; found 'not'"},
      {R"({"type": "number", "minimum": "1"})", "#/minimum: expected a number; found \"1\""},
      {R"({"type": "number", "minimum": 1, "exclusiveMinimum": 0})",
       "#: expected one of minimum and exclusiveMinimum; found 0"},
      {R"({"type": "number", "minimum": 1, "exclusiveMaximum": 1})",
       "#: expected a number that its bounds and multipleOf allow; found none"},
      {R"({"type": "number", "multipleOf": 0.3})",
       "#/multipleOf: expected 1, 0.1, 0.01 and so on, to 16 digits, beside type number; found 0.3"},
      {R"({"type": "integer", "multipleOf": 1001})",
       "#/multipleOf: expected a whole number from 1 to 1000 beside type integer; found 1001"},
      {R"({"oneOf": []})", "#/oneOf: expected a list of at least one schema; found []"},
      {R"({"oneOf": [{"type": "null"}, {"type": "integer"}, {"type": "number"}]})",
       "#/oneOf: expected schemas that types, const, enum or a required member tell apart; found 1 and 2, "
       "which one value may fit (anyOf allows that)"},
      {R"({"oneOf": [true], "discriminator": "kind"})",
       "#/discriminator: expected an object with a propertyName; found \"kind\""},
      {R"({"allOf": [{"type": "string"}, {"type": "null"}]})",
       "#/type: expected what the other parts say, which is \"string\"; found \"null\""},
      {R"({"allOf": [{"properties": {"a": true}, "additionalProperties": false}, {"properties": {"b": true}}]})",
       "#: expected no additionalProperties of false in an allOf beside members of its other parts; found "
       "\"b\""},
      {R"({"allOf": [{"$ref": "#"}]})",
       "#/allOf: expected an allOf of other schemas; found one that leads to itself"},
      {R"({"prefixItems": [true], "minItems": 1})",
       "#: expected minItems and maxItems of as many as prefixItems has; found 1"},
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
      {R"({"pattern": "a", "minLength": 2})",
       "#: expected a pattern of which minLength and maxLength bound one repetition alone; found \"a\""},
  };
  for (const auto& [schema, sentence] : cases) {
    CAPTURE(schema);
    CHECK_THROWS_WITH(json_schema(schema), std::string("JSON schema: ") + sentence);
  }
  CHECK_THROWS_WITH(
      json_schema(R"({"type": "array", "minItems": -1})"),
      Catch::Matchers::StartsWith("JSON schema: #/minItems: expected a whole number from 0 to " +
                                  std::to_string(std::numeric_limits<std::size_t>::max()) + "; found -1"));
  CHECK_THROWS_WITH(json_schema("{"), Catch::Matchers::StartsWith("JSON schema: "));
  CHECK_THROWS_WITH(
      json_schema(R"({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}})"),
      "JSON schema: expected each $ref to lead to what says something; found one that leads to itself");
  CHECK_THROWS_WITH(json_schema(R"({"properties": {"a": {"$ref": "#"}}, "required": ["a"]})"),
                    "JSON schema: expected at least one text that it allows; found none");
  CHECK_THROWS_WITH(json_schema(R"({"type": "string", "maxLength": 1000000})"),
                    Catch::Matchers::StartsWith("JSON schema: expected at most 131072 bytes and choices"));
}
