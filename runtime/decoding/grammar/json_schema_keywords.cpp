#include <fovea/runtime/decoding/grammar/json_schema_keywords.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <algorithm>

namespace fovea::core::grammar::schemas {

const std::array<type_keywords, 7>& types() {
  static const names of_numbers{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"};
  static const std::array<type_keywords, 7> all{
      {{"object", {"properties", "required", "additionalProperties"}},
       {"array", {"items", "prefixItems", "minItems", "maxItems"}},
       {"string", {"minLength", "maxLength", "pattern", "format"}},
       {"integer", of_numbers},
       {"number", of_numbers},
       {"boolean", {}},
       {"null", {}}}};
  return all;
}

bool holds(const names& all, std::string_view one) { return std::ranges::find(all, one) != all.end(); }

std::string joined(const names& all) {
  std::string text;
  for (const std::string_view one : all) text += (text.empty() ? "" : ", ") + std::string(one);
  return text;
}

bool is_annotation(std::string_view keyword) {
  static const names all{"$schema",     "$id",     "$comment", "$defs",    "definitions", "title",
                         "description", "default", "examples", "readOnly", "writeOnly",   "deprecated"};
  return holds(all, keyword);
}

void fail(const std::string& place, const std::string& expected, const json& found) {
  throw error("JSON schema: " + place + ": expected " + expected + "; found " + shown(nlohmann::json(found)));
}

const json* find(const json& schema, const char* keyword) {
  const auto found = schema.find(keyword);
  return found == schema.end() ? nullptr : &*found;
}

void expect_keywords(const json& schema, const names& known, const std::string& place,
                     const std::string& of) {
  for (const auto& [keyword, value] : schema.items())
    if (!is_annotation(keyword) && !holds(known, keyword))
      throw error("JSON schema: " + place + ": expected no keyword but " + joined(known) + " " + of +
                  "; found " + in_quotes(keyword));
}

names types_named(const json& schema, const std::string& place) {
  const json* given = find(schema, "type");
  if (given == nullptr) return {};
  names made;
  for (const json& one : given->is_array() ? *given : json::array({*given})) {
    const auto known = std::ranges::find_if(types(), [&](const type_keywords& t) { return one == t.type; });
    if (known == types().end())
      fail(place + "/type", "one of object, array, string, integer, number, boolean, null", one);
    made.push_back(known->type);
  }
  if (made.empty()) fail(place + "/type", "at least one type", *given);
  return made;
}

names types_of(const json& schema, const std::string& place) {
  names made = types_named(schema, place);
  if (!made.empty()) return made;
  for (const auto& [type, keywords] : types())
    if (type != "integer" && // which any number may be
        std::ranges::any_of(keywords, [&](std::string_view keyword) { return schema.contains(keyword); }))
      made.push_back(type);
  return made;
}

std::string_view type_of(const json& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  return value.is_boolean() ? "boolean" : "null";
}

bool overlap(std::string_view type, std::string_view other) {
  const auto is_number = [](std::string_view one) { return one == "integer" || one == "number"; };
  return type == other || (is_number(type) && is_number(other));
}

} // namespace fovea::core::grammar::schemas
