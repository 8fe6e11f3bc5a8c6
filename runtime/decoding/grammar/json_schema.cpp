#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/runtime/decoding/grammar/byte_grammar.hpp>
#include <fovea/runtime/decoding/grammar/json_text.hpp>
#include <fovea/runtime/decoding/grammar/regular_expression.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fovea::core {
namespace {

using namespace grammar;
using json = nlohmann::ordered_json;
using names = std::vector<std::string_view>;

struct type_keywords {
  std::string_view type;
  names keywords;
};
const std::array<type_keywords, 7> types{{{"object", {"properties", "required", "additionalProperties"}},
                                          {"array", {"items", "minItems", "maxItems"}},
                                          {"string", {"minLength", "maxLength", "pattern"}},
                                          {"integer", {"minimum", "maximum"}},
                                          {"number", {}},
                                          {"boolean", {}},
                                          {"null", {}}}};

/// What says nothing of the texts.
const names annotations{"$schema",     "$id",     "$comment", "$defs",    "definitions", "title",
                        "description", "default", "examples", "readOnly", "writeOnly",   "deprecated"};

bool holds(const names& all, std::string_view one) { return std::ranges::find(all, one) != all.end(); }

std::string joined(const names& all) {
  std::string text;
  for (const std::string_view one : all) text += (text.empty() ? "" : ", ") + std::string(one);
  return text;
}

/// A schema becomes a rule, and so does each that it holds, so that they may hold each other.
class schema_reader {
public:
  explicit schema_reader(const json& whole) : whole_(whole) {
    rule(whole, "#");
    while (!unread_.empty()) {
      const waiting next = std::move(unread_.back());
      unread_.pop_back();
      rules_[next.rule] = of(*next.schema, next);
    }
    expect_no_circle();
  }

  const std::vector<expression>& rules() const { return rules_; }

private:
  struct waiting {
    const json* schema;
    std::size_t rule;
    std::string place;
  };

  [[noreturn]] static void fail(const std::string& place, const std::string& expected, const json& found) {
    throw error("JSON schema: " + place + ": expected " + expected + "; found " +
                shown(nlohmann::json(found)));
  }

  /// The rule of a schema, which is read later.
  std::size_t rule(const json& schema, const std::string& place) {
    const auto [found, is_new] = known_.try_emplace(&schema, rules_.size());
    if (is_new) {
      rules_.emplace_back();
      unread_.push_back({&schema, found->second, place});
    }
    return found->second;
  }

  static const json* find(const json& schema, const char* keyword) {
    const auto found = schema.find(keyword);
    return found == schema.end() ? nullptr : &*found;
  }
  static void expect_keywords(const json& schema, const names& known, const std::string& place,
                              const std::string& of) {
    for (const auto& [keyword, value] : schema.items())
      if (!holds(annotations, keyword) && !holds(known, keyword))
        throw error("JSON schema: " + place + ": expected no keyword but " + joined(known) + " " + of +
                    "; found " + in_quotes(keyword));
  }

  expression of(const json& schema, const waiting& as) {
    const std::string& place = as.place;
    if (schema == json(true)) return text_.any_value();
    if (!schema.is_object()) fail(place, "a schema, which is an object or true", schema);
    if (const json* to = find(schema, "$ref"); to != nullptr) {
      expect_keywords(schema, {"$ref"}, place, "beside $ref");
      means_[as.rule].push_back(referred(*to, place));
      return rule_of(means_[as.rule].back());
    }
    if (const json* any = find(schema, "anyOf"); any != nullptr) {
      expect_keywords(schema, {"anyOf"}, place, "beside anyOf");
      return any_of(*any, as);
    }
    for (const char* keyword : {"enum", "const"})
      if (const json* values = find(schema, keyword); values != nullptr) {
        expect_keywords(schema, {keyword, "type"}, place, std::string("beside ") + keyword);
        return one_of_values(keyword == std::string_view("const") ? json::array({*values}) : *values, schema,
                             place);
      }
    return by_type(schema, place);
  }

  std::size_t referred(const json& to, const std::string& place) {
    const char* expected = "a $ref to a part of the schema, as \"#/$defs/name\"";
    if (!to.is_string()) fail(place, expected, to);
    const auto name = to.get<std::string>();
    try {
      if (name.starts_with("#")) return rule(whole_.at(json::json_pointer(name.substr(1))), shortened(name));
    } catch (const json::exception&) {
      fail(place, "a $ref to a part that the schema has", to);
    }
    fail(place, expected, to);
  }
  expression any_of(const json& all, const waiting& as) {
    if (!all.is_array() || all.empty()) fail(as.place + "/anyOf", "a list of at least one schema", all);
    std::vector<expression> made;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t one = rule(all[i], as.place + "/anyOf/" + std::to_string(i));
      means_[as.rule].push_back(one);
      made.push_back(rule_of(one));
    }
    return choice(std::move(made));
  }

  /// A schema that means itself, through others that add nothing, says nothing. Those that mean no other are taken
  /// away until none is left.
  void expect_no_circle() const {
    std::map<std::size_t, std::size_t> left;
    std::map<std::size_t, std::vector<std::size_t>> meant_by;
    for (const auto& [rule, others] : means_) {
      left[rule] = others.size();
      for (const std::size_t other : others) meant_by[other].push_back(rule);
    }
    std::vector<std::size_t> ends;
    for (const auto& [rule, by] : meant_by)
      if (!left.contains(rule)) ends.push_back(rule);
    while (!ends.empty()) {
      const std::size_t end = ends.back();
      ends.pop_back();
      if (const auto by = meant_by.find(end); by != meant_by.end())
        for (const std::size_t rule : by->second)
          if (--left[rule] == 0) ends.push_back(rule);
    }
    if (std::ranges::any_of(left, [](const auto& one) { return one.second > 0; }))
      throw error(
          "JSON schema: expected each $ref to lead to what says something; found one that leads to itself");
  }

  static bool fits(const json& value, std::string_view type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number()) || (type == "boolean" && value.is_boolean()) ||
           (type == "null" && value.is_null());
  }
  static expression one_of_values(const json& values, const json& schema, const std::string& place) {
    if (!values.is_array() || values.empty()) fail(place + "/enum", "a list of at least one value", values);
    const names given = types_of(schema, place);
    std::vector<expression> made;
    for (const json& value : values)
      if (given.empty() ||
          std::ranges::any_of(given, [&](std::string_view type) { return fits(value, type); }))
        made.push_back(text_of(value.dump()));
    if (made.empty()) fail(place, "a value of type " + joined(given), values);
    return choice(std::move(made));
  }

  /// Those that a schema names.
  static names types_of(const json& schema, const std::string& place) {
    const json* given = find(schema, "type");
    if (given == nullptr) return {};
    names made;
    for (const json& one : given->is_array() ? *given : json::array({*given})) {
      const auto known = std::ranges::find_if(types, [&](const type_keywords& t) { return one == t.type; });
      if (known == types.end())
        fail(place + "/type", "one of object, array, string, integer, number, boolean, null", one);
      made.push_back(known->type);
    }
    if (made.empty()) fail(place + "/type", "at least one type", *given);
    return made;
  }
  expression by_type(const json& schema, const std::string& place) {
    names given = types_of(schema, place);
    if (given.empty())
      for (const auto& [type, keywords] : types)
        if (std::ranges::any_of(keywords, [&](std::string_view k) { return schema.contains(k); }))
          given.push_back(type);
    names known{"type"};
    for (const auto& [type, keywords] : types)
      if (holds(given, type)) known.insert(known.end(), keywords.begin(), keywords.end());
    if (given.empty()) {
      expect_keywords(schema, {"type", "enum", "const", "anyOf", "$ref"}, place,
                      "in a schema without a type");
      return text_.any_value();
    }
    expect_keywords(schema, known, place, "beside type " + joined(given));
    std::vector<expression> made;
    for (const std::string_view type : given) made.push_back(of_type(type, schema, place));
    return choice(std::move(made));
  }
  expression of_type(std::string_view type, const json& schema, const std::string& place) {
    if (type == "object") return object(schema, place);
    if (type == "array") return array(schema, place);
    if (type == "string") return string(schema, place);
    if (type == "integer") return integer(schema, place);
    if (type == "number") return text_.any_number();
    return type == "boolean" ? json_boolean() : text_of("null");
  }

  /// Two numbers that bound one.
  template <class number>
  static std::pair<number, number> bounds(const json& schema, const char* least, const char* most,
                                          const std::string& place, number from, number to) {
    const auto read = [&](const char* keyword, number otherwise) {
      const json* value = find(schema, keyword);
      return value == nullptr
                 ? otherwise
                 : whole_number<number>(nlohmann::json(*value), "JSON schema: " + place + "/" + keyword);
    };
    const std::pair<number, number> made{read(least, from), read(most, to)};
    if (made.first > made.second)
      fail(place, std::string("a ") + least + " of at most " + most, json(made.first));
    return made;
  }
  expression integer(const json& schema, const std::string& place) {
    if (!schema.contains("minimum") && !schema.contains("maximum")) return text_.any_integer();
    std::int64_t most = 1;
    for (std::size_t i = 0; i < most_json_digits; ++i) most *= 10;
    const auto [least, greatest] =
        bounds<std::int64_t>(schema, "minimum", "maximum", place, 1 - most, most - 1);
    return json_integers(std::max(least, 1 - most), std::min(greatest, most - 1));
  }
  expression string(const json& schema, const std::string& place) {
    const auto [least, most] =
        bounds<std::size_t>(schema, "minLength", "maxLength", place, 0, expression::without_end);
    const json* pattern = find(schema, "pattern");
    expression says;
    if (pattern == nullptr) {
      says = repeat(text_.any_character(), least, most);
    } else {
      if (!pattern->is_string()) fail(place + "/pattern", "a regular expression", *pattern);
      if (least > 0 || most < expression::without_end)
        fail(place, "no minLength and no maxLength beside a pattern", *pattern);
      try {
        says = in_json_string(parse_regular_expression(pattern->get<std::string>(), matches::part));
      } catch (const error& problem) {
        throw error("JSON schema: " + place + "/pattern: " + problem.what());
      }
    }
    return sequence({text_of("\""), std::move(says), text_of("\"")});
  }
  expression array(const json& schema, const std::string& place) {
    const auto [least, most] =
        bounds<std::size_t>(schema, "minItems", "maxItems", place, 0, expression::without_end);
    const json* items = find(schema, "items");
    expression item = items == nullptr ? text_.any_value() : rule_of(rule(*items, place + "/items"));
    return text_.list('[', std::move(item), least, most, ']');
  }

  expression object(const json& schema, const std::string& place) {
    const json *properties = find(schema, "properties"), *required = find(schema, "required"),
               *others = find(schema, "additionalProperties");
    if (properties != nullptr && !properties->is_object())
      fail(place + "/properties", "an object of schemas", *properties);
    const std::set<std::string> needed = required_of(properties, required, place);
    const bool is_closed = others == nullptr || *others == json(false);
    if (properties != nullptr && !properties->empty()) {
      if (!is_closed)
        fail(place + "/additionalProperties",
             "false beside properties: members that have no name here are not known", *others);
      return members(*properties, needed, place);
    }
    if (others == nullptr && properties == nullptr) return text_.any_object();
    if (is_closed) return sequence({text_of("{"), text_.gap(), text_of("}")});
    const std::size_t value = rule(*others, place + "/additionalProperties");
    return text_.list('{', json_text::valued(text_.any_string(), rule_of(value)), 0, expression::without_end,
                      '}');
  }
  static std::set<std::string> required_of(const json* properties, const json* required,
                                           const std::string& place) {
    std::set<std::string> known, made;
    if (required == nullptr) return made;
    if (!required->is_array()) fail(place + "/required", "a list of names", *required);
    if (properties != nullptr)
      for (const auto& [name, schema] : properties->items()) known.insert(name);
    for (const json& name : *required) {
      if (!name.is_string() || !known.contains(name.get<std::string>()))
        fail(place + "/required", "names that are in properties", name);
      made.insert(name.get<std::string>());
    }
    return made;
  }
  /// Members in the order of the schema. Rule 2 i of it says what comes from member i on where none stands before it,
  /// the next one where one does.
  expression members(const json& properties, const std::set<std::string>& required,
                     const std::string& place) {
    const std::size_t first = rules_.size(), count = properties.size();
    rules_.resize(first + 2 * (count + 1));
    std::size_t i = 0;
    for (const auto& [name, schema] : properties.items()) {
      const std::size_t value = rule(schema, place + "/properties/" + shortened(name));
      for (const bool has_some : {false, true}) {
        std::vector<expression> ways{sequence({text_of(has_some ? "," : ""), text_.gap(),
                                               json_text::valued(text_of(json(name).dump()), rule_of(value)),
                                               rule_of(first + 2 * i + 3)})};
        if (!required.contains(name)) ways.push_back(rule_of(first + 2 * i + 2 + has_some));
        rules_[first + 2 * i + has_some] = choice(std::move(ways));
      }
      ++i;
    }
    for (const bool has_some : {false, true})
      rules_[first + 2 * count + has_some] = sequence({text_.gap(), text_of("}")});
    return sequence({text_of("{"), rule_of(first)});
  }

  const json& whole_;
  std::vector<expression> rules_;
  json_text text_{rules_};
  std::map<const json*, std::size_t> known_;
  std::vector<waiting> unread_;
  std::map<std::size_t, std::vector<std::size_t>> means_; // of a rule, those that it is the same as
};

} // namespace

byte_grammar json_schema(std::string_view schema) {
  try {
    parse_json(schema);
  } catch (const error& problem) {
    throw error(std::string("JSON schema: ") + problem.what());
  }
  const json whole = json::parse(schema);
  return byte_grammar(schema_reader(whole).rules(), "JSON schema");
}

byte_grammar any_json_object() {
  std::vector<expression> rules(1);
  rules.front() = json_text(rules).any_object();
  return byte_grammar(rules, "JSON object");
}

} // namespace fovea::core
