#include <fovea/runtime/decoding/grammar/json_schema_parts.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace fovea::core::grammar::schemas {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 22, most_nested = 100, most_branches = 100;

/// Adds to `made` what `value` says by a keyword.
void add(const std::string& keyword, const json& value, const std::string& place, json& made) {
  const std::string where = place + "/" + keyword;
  if (keyword == "properties") {
    if (!value.is_object()) fail(where, "an object of schemas", value);
    json& all = made[keyword];
    if (all.is_null()) all = json::object();
    for (const auto& [name, schema] : value.items())
      if (const json* before = find(all, name.c_str()); before == nullptr)
        all[name] = schema;
      else if (*before != schema)
        all[name] = {{"allOf", json::array({*before, schema})}};
  } else if (keyword == "required") {
    if (!value.is_array()) fail(where, "a list of names", value);
    json& all = made[keyword];
    if (all.is_null()) all = json::array();
    for (const json& name : value)
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
  } else if (const json* before = find(made, keyword.c_str()); before == nullptr) {
    made[keyword] = value;
  } else if (*before != value) {
    fail(where, "what the other parts say, which is " + before->dump(), value);
  }
}

} // namespace

const json& schema_parts::referred(const json& to, const std::string& place) const {
  const char* expected = "a $ref to a part of the schema, as \"#/$defs/name\"";
  if (!to.is_string()) fail(place, expected, to);
  const auto name = to.get<std::string>();
  try {
    if (name.starts_with("#")) return whole_.at(json::json_pointer(name.substr(1)));
  } catch (const json::exception&) {
    fail(place, "a $ref to a part that the schema has", to);
  }
  fail(place, expected, to);
}

/// Each once, behind those that it says all of.
struct schema_parts::parts_found {
  std::vector<const json*> in_order = {};
  std::set<const json*> all = {};
};

/// Appends a schema and those that it says all of.
void schema_parts::append_parts(const json& schema, const std::string& place, std::vector<const json*>& path,
                                parts_found& made) const {
  // Two ways to a part, and from there two to the next, would be walked 2^n times.
  if (schema == json(true) || made.all.contains(&schema)) return;
  if (!schema.is_object()) fail(place, "a schema, which is an object or true", schema);
  if (std::ranges::find(path, &schema) != path.end())
    throw error("JSON schema: " + place +
                ": expected an allOf of other schemas; found one that leads to itself");
  if (path.size() == most_nested)
    throw error("JSON schema: " + place + ": expected at most " + std::to_string(most_nested) +
                " allOf and $ref that lead on; found more");
  path.push_back(&schema);
  if (const json* to = find(schema, "$ref"); to != nullptr)
    append_parts(referred(*to, place), place, path, made);
  if (const json* all = find(schema, "allOf"); all != nullptr) {
    if (!all->is_array() || all->empty()) fail(place + "/allOf", "a list of at least one schema", *all);
    for (const json& one : *all) append_parts(one, place + "/allOf", path, made);
  }
  path.pop_back();
  made.all.insert(&schema);
  made.in_order.push_back(&schema);
}

const json& schema_parts::kept(const json& schema, const std::string& place) {
  const auto [found, is_new] = kept_.try_emplace(schema.dump(), schema);
  if (is_new) bytes_ += found->first.size();
  if (bytes_ > most_bytes)
    throw error("JSON schema: " + place + ": expected at most " + std::to_string(most_bytes) +
                " bytes that allOf and discriminators make; found more");
  return found->second;
}

const json& schema_parts::merged(const std::vector<const json*>& all, const std::string& place) {
  std::vector<const json*> path;
  parts_found found;
  for (const json* one : all) append_parts(*one, place, path, found);
  const std::vector<const json*>& parts = found.in_order;
  json made = json::object();
  for (const json* part : parts)
    for (const auto& [keyword, value] : part->items())
      if (!is_annotation(keyword) && keyword != "$ref" && keyword != "allOf")
        add(keyword, value, place, made);
  const json* members = find(made, "properties");
  for (const json* part : parts) {
    const json *others = find(*part, "additionalProperties"), *known = find(*part, "properties");
    if (others == nullptr || *others != json(false) || members == nullptr) continue;
    for (const auto& [name, schema] : members->items())
      if (known == nullptr || !known->contains(name))
        fail(place, "no additionalProperties of false in an allOf beside members of its other parts",
             json(name));
  }
  return kept(made, place);
}

/// Which values a schema may have.
struct schema_parts::outline {
  names types = {}; // none: any
  bool has_values = false;
  std::set<std::string> values = {}; // of const and enum, as texts

  bool is_apart_from(const outline& other) const {
    const auto is_own = [&](std::string_view type) {
      return std::ranges::any_of(types, [&](std::string_view own) { return overlap(own, type); });
    };
    const auto is_value = [&](const std::string& value) { return values.contains(value); };
    return (!types.empty() && !other.types.empty() && std::ranges::none_of(other.types, is_own)) ||
           (has_values && other.has_values && std::ranges::none_of(other.values, is_value));
  }
};

/// One of the schemas of a oneOf.
struct schema_parts::branch {
  outline whole;
  std::map<std::string, outline> members = {}; // that it requires, of an object

  bool is_apart_from(const branch& other) const {
    return whole.is_apart_from(other.whole) || std::ranges::any_of(members, [&](const auto& member) {
             const auto found = other.members.find(member.first);
             return found != other.members.end() && member.second.is_apart_from(found->second);
           });
  }
};

/// The schema behind a $ref and an allOf.
const json& schema_parts::meant(const json& schema, const std::string& place) {
  const json* at = &schema;
  for (std::size_t i = 0; i < most_nested && at->is_object() && at->size() == 1 && at->contains("$ref"); ++i)
    at = &referred(at->at("$ref"), place);
  return at->is_object() && (at->contains("allOf") || at->contains("$ref")) ? merged({at}, place) : *at;
}

schema_parts::outline schema_parts::outline_of(const json& schema, const std::string& place) {
  outline made;
  if (!schema.is_object()) return made;
  const json *constant = find(schema, "const"), *values = find(schema, "enum");
  made.has_values = constant != nullptr || (values != nullptr && values->is_array());
  if (!made.has_values) {
    made.types = types_of(schema, place);
    return made;
  }
  for (const json& value : constant != nullptr ? json::array({*constant}) : *values) {
    made.values.insert(value.is_number() ? json(value.get<double>()).dump() : value.dump());
    if (!holds(made.types, type_of(value))) made.types.push_back(type_of(value));
  }
  return made;
}

schema_parts::branch schema_parts::branch_of(const json& schema, const std::string& place) {
  const json& says = meant(schema, place);
  branch made{outline_of(says, place)};
  if (made.whole.types != names{"object"}) return made;
  const json *members = find(says, "properties"), *required = find(says, "required");
  if (members == nullptr || required == nullptr || !required->is_array()) return made;
  for (const json& name : *required)
    if (name.is_string() && members->contains(name.get<std::string>())) {
      const auto text = name.get<std::string>();
      made.members.emplace(text, outline_of(meant(members->at(text), place), place));
    }
  return made;
}

void schema_parts::expect_apart(const std::vector<const json*>& all, const std::string& place) {
  if (all.size() > most_branches)
    fail(place, "at most " + std::to_string(most_branches) + " schemas", json(all.size()));
  std::vector<branch> branches;
  for (const json* one : all) branches.push_back(branch_of(*one, place));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!branches[i].is_apart_from(branches[j]))
        throw error("JSON schema: " + place +
                    ": expected schemas that types, const, enum or a required member tell apart; found " +
                    std::to_string(j) + " and " + std::to_string(i) +
                    ", which one value may fit (anyOf allows that)");
}

} // namespace fovea::core::grammar::schemas
