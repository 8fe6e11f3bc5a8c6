#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/check_members.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/runtime/decoding/grammar/byte_grammar.hpp>
#include <fovea/runtime/decoding/grammar/json_formats.hpp>
#include <fovea/runtime/decoding/grammar/json_lengths.hpp>
#include <fovea/runtime/decoding/grammar/json_numbers.hpp>
#include <fovea/runtime/decoding/grammar/json_schema_parts.hpp>
#include <fovea/runtime/decoding/grammar/json_text.hpp>
#include <fovea/runtime/decoding/grammar/regular_expression.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fovea::core {
namespace {

using namespace grammar;
using namespace grammar::schemas;

/// A schema becomes a rule, and so does each that it holds, so that they may hold each other.
class schema_reader {
public:
  explicit schema_reader(const json& whole) : parts_(whole) {
    rule(whole, "#");
    while (!unread_.empty()) {
      const waiting next = std::move(unread_.back());
      unread_.pop_back();
      const std::size_t first = rules_.size();
      expression says = of(*next.schema, next);
      count(says);
      for (std::size_t i = first; i < rules_.size(); ++i) count(rules_[i]);
      rules_[next.rule] = std::move(says);
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

  /// What is too large ends here, before all of it takes memory.
  void count(const expression& rule) {
    nodes_ += least_nodes(rule);
    check_nodes(nodes_, "JSON schema");
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

  expression of(const json& schema, const waiting& as) {
    const std::string& place = as.place;
    if (schema == json(true)) return text_.any_value();
    if (!schema.is_object()) fail(place, "a schema, which is an object or true", schema);
    if (schema.contains("allOf")) return same_as(parts_.merged({&schema}, place), place, as);
    if (const json* to = find(schema, "$ref"); to != nullptr) {
      expect_keywords(schema, {"$ref"}, place, "beside $ref");
      const json& meant = parts_.referred(*to, place);
      return same_as(meant, shortened(to->get<std::string>()), as);
    }
    if (const json* any = find(schema, "anyOf"); any != nullptr) {
      expect_keywords(schema, {"anyOf"}, place, "beside anyOf");
      return choice_of(branches(*any, place + "/anyOf"), place + "/anyOf", as);
    }
    if (const json* one = find(schema, "oneOf"); one != nullptr) return one_of_schemas(*one, schema, as);
    if (schema.contains("const") || schema.contains("enum")) return one_of_values(schema, place);
    return by_type(schema, place);
  }

  expression same_as(const json& schema, const std::string& place, const waiting& as) {
    means_[as.rule].push_back(rule(schema, place));
    return rule_of(means_[as.rule].back());
  }
  static std::vector<const json*> branches(const json& all, const std::string& place) {
    if (!all.is_array() || all.empty()) fail(place, "a list of at least one schema", all);
    std::vector<const json*> made;
    for (const json& one : all) made.push_back(&one);
    return made;
  }
  expression choice_of(const std::vector<const json*>& all, const std::string& place, const waiting& as) {
    std::vector<expression> made;
    for (std::size_t i = 0; i < all.size(); ++i)
      made.push_back(same_as(*all[i], place + "/" + std::to_string(i), as));
    return choice(std::move(made));
  }
  /// A discriminator is a member that each schema requires.
  expression one_of_schemas(const json& one, const json& schema, const waiting& as) {
    expect_keywords(schema, {"oneOf", "discriminator"}, as.place, "beside oneOf");
    const std::string place = as.place + "/oneOf";
    std::vector<const json*> all = branches(one, place);
    if (const json* by = find(schema, "discriminator"); by != nullptr) {
      const json* name = by->is_object() ? find(*by, "propertyName") : nullptr;
      if (name == nullptr || !name->is_string())
        fail(as.place + "/discriminator", "an object with a propertyName", *by);
      const json told{{"required", json::array({*name})}};
      for (const json*& branch : all) branch = &parts_.merged({branch, &told}, place);
    }
    parts_.expect_apart(all, place);
    return choice_of(all, place, as);
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

  static expression one_of_values(const json& schema, const std::string& place) {
    expect_keywords(schema, {"enum", "const", "type"}, place, "beside enum and const");
    const json *values = find(schema, "enum"), *constant = find(schema, "const");
    if (values != nullptr && (!values->is_array() || values->empty()))
      fail(place + "/enum", "a list of at least one value", *values);
    if (values != nullptr && constant != nullptr && std::ranges::find(*values, *constant) == values->end())
      fail(place + "/const", "a value of enum", *constant);
    const names given = types_named(schema, place);
    const auto fits = [&](const json& value) {
      const std::string_view type = type_of(value);
      return given.empty() || holds(given, type) || (type == "integer" && holds(given, "number"));
    };
    const json all = constant != nullptr ? json::array({*constant}) : *values;
    std::vector<expression> made;
    for (const json& value : all)
      if (fits(value)) made.push_back(text_of(value.dump()));
    if (made.empty()) fail(place, "a value of type " + joined(given), all);
    return choice(std::move(made));
  }

  expression by_type(const json& schema, const std::string& place) {
    const names given = types_of(schema, place);
    if (given.empty()) {
      expect_keywords(schema, {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}, place,
                      "in a schema without a type");
      return text_.any_value();
    }
    names known{"type"};
    for (const auto& [type, keywords] : types())
      for (const std::string_view keyword : keywords)
        if (holds(given, type) && !holds(known, keyword)) known.push_back(keyword);
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
    if (type == "number") return number(schema, place);
    return type == "boolean" ? json_boolean() : text_of("null");
  }

  /// How many there may be.
  static std::pair<std::size_t, std::size_t> counts(const json& schema, const char* least, const char* most,
                                                    const std::string& place) {
    const auto read = [&](const char* keyword, std::size_t otherwise) {
      const json* value = find(schema, keyword);
      return value == nullptr
                 ? otherwise
                 : whole_number<std::size_t>(nlohmann::json(*value), "JSON schema: " + place + "/" + keyword);
    };
    const std::pair made{read(least, 0), read(most, expression::without_end)};
    if (made.first > made.second)
      fail(place, std::string("a ") + least + " of at most " + most, json(made.first));
    return made;
  }
  static std::optional<number_bound> bound(const json& schema, const char* closed, const char* open,
                                           const std::string& place) {
    const json *with = find(schema, closed), *without = find(schema, open);
    if (with != nullptr && without != nullptr)
      fail(place, std::string("one of ") + closed + " and " + open, *without);
    const json* value = with != nullptr ? with : without;
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) fail(place + "/" + (with != nullptr ? closed : open), "a number", *value);
    return number_bound{decimal_of(value->dump()), without != nullptr};
  }
  static number_bounds bounds(const json& schema, const std::string& place) {
    return {bound(schema, "minimum", "exclusiveMinimum", place),
            bound(schema, "maximum", "exclusiveMaximum", place)};
  }
  static expression some_number(std::optional<expression> says, const std::string& place) {
    if (!says)
      throw error("JSON schema: " + place +
                  ": expected a number that its bounds and multipleOf allow; found none");
    return *std::move(says);
  }
  expression integer(const json& schema, const std::string& place) {
    const number_bounds within = bounds(schema, place);
    const json* of = find(schema, "multipleOf");
    if (!within.least && !within.most && of == nullptr) return text_.any_integer();
    constexpr std::int64_t most = 1000;
    if (of != nullptr && !(of->is_number_integer() && *of >= 1 && *of <= most))
      fail(place + "/multipleOf", "a whole number from 1 to " + std::to_string(most) + " beside type integer",
           *of);
    return some_number(json_integers(within, of == nullptr ? 1 : of->get<std::int64_t>(), rules_, multiples_),
                       place);
  }
  expression number(const json& schema, const std::string& place) {
    const number_bounds within = bounds(schema, place);
    const json* of = find(schema, "multipleOf");
    if (of == nullptr)
      return within.least || within.most ? some_number(json_numbers(within), place) : text_.any_number();
    const char* expected = "1, 0.1, 0.01 and so on, to 16 digits, beside type number";
    if (!of->is_number()) fail(place + "/multipleOf", expected, *of);
    const decimal step = decimal_of(of->dump());
    const std::size_t digits = step.fraction.size();
    const bool is_one = step.whole == "1" && digits == 0,
               is_part = step.whole.empty() && step.fraction.find_first_not_of('0') + 1 == digits &&
                         digits <= most_json_digits && step.fraction.ends_with('1');
    if (step.is_negative || !(is_one || is_part)) fail(place + "/multipleOf", expected, *of);
    return some_number(json_numbers(within, digits), place);
  }

  expression string(const json& schema, const std::string& place) {
    const auto [least, most] = counts(schema, "minLength", "maxLength", place);
    const json *pattern = find(schema, "pattern"), *format = find(schema, "format");
    if (pattern != nullptr && format != nullptr) fail(place, "no format beside a pattern", *format);
    std::optional<expression> says;
    if (pattern != nullptr) {
      if (!pattern->is_string()) fail(place + "/pattern", "a regular expression", *pattern);
      says = characters(pattern->get<std::string>(), matches::part, least, most, place, "pattern", *pattern);
    } else if (format != nullptr) {
      const std::optional<std::string> known =
          format->is_string() ? expression_of_format(format->get<std::string>()) : std::nullopt;
      if (!known) fail(place + "/format", "one of " + format_names(), *format);
      if (!known->empty()) says = characters(*known, matches::all, least, most, place, "format", *format);
    }
    if (!says) says = repeat(text_.any_character(), least, most);
    return sequence({text_of("\""), *std::move(says), text_of("\"")});
  }
  /// The rule of what a regular expression matches. It is made once, for it may be long.
  expression characters(const std::string& text, matches where, std::size_t least, std::size_t most,
                        const std::string& place, const char* keyword, const json& given) {
    const auto [found, is_new] = characters_.try_emplace({text, where, least, most}, rules_.size());
    if (is_new) {
      rules_.emplace_back();
      std::optional<expression> says;
      try {
        says = of_length(parse_regular_expression(text, where), least, most);
      } catch (const error& problem) {
        throw error("JSON schema: " + place + "/" + keyword + ": " + problem.what());
      }
      if (!says)
        fail(place,
             std::string("a ") + keyword + " of which minLength and maxLength bound one repetition alone",
             given);
      rules_[found->second] = in_json_string(*std::move(says));
    }
    return rule_of(found->second);
  }

  expression array(const json& schema, const std::string& place) {
    const auto [least, most] = counts(schema, "minItems", "maxItems", place);
    const json *items = find(schema, "items"), *first = find(schema, "prefixItems");
    if (first != nullptr) return items_in_order(*first, least, most, items, place);
    expression item = items == nullptr ? text_.any_value() : rule_of(rule(*items, place + "/items"));
    return text_.list('[', std::move(item), least, most, ']');
  }
  expression items_in_order(const json& items, std::size_t least, std::size_t most, const json* others,
                            const std::string& place) {
    if (!items.is_array() || items.empty())
      fail(place + "/prefixItems", "a list of at least one schema", items);
    if (others != nullptr) fail(place + "/items", "no items beside prefixItems", *others);
    if (least != items.size() || most != items.size())
      fail(place, "minItems and maxItems of as many as prefixItems has", json(items.size()));
    std::vector<expression> made;
    for (std::size_t i = 0; i < items.size(); ++i) {
      made.push_back(text_of(i == 0 ? "[" : ","));
      made.push_back(text_.gap());
      made.push_back(rule_of(rule(items[i], place + "/prefixItems/" + std::to_string(i))));
    }
    made.push_back(text_.gap());
    made.push_back(text_of("]"));
    return sequence(std::move(made));
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

  schema_parts parts_;
  std::vector<expression> rules_;
  std::size_t nodes_ = 0; // of those that were read, at least
  json_text text_{rules_};
  rules_of_multiples multiples_;
  std::map<const json*, std::size_t> known_;
  std::map<std::tuple<std::string, matches, std::size_t, std::size_t>, std::size_t> characters_;
  std::vector<waiting> unread_;
  std::map<std::size_t, std::vector<std::size_t>> means_; // of a rule, those that it is the same as
};

} // namespace

byte_grammar json_schema(std::string_view schema) {
  try {
    check_members(*parse_json(schema));
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
