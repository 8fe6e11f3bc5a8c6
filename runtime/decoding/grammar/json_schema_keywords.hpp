#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

/// What JSON Schema calls things.
namespace fovea::core::grammar::schemas {

using json = nlohmann::ordered_json;
using names = std::vector<std::string_view>;

struct type_keywords {
  std::string_view type;
  names keywords;
};
/// Each type, and what may stand beside it.
const std::array<type_keywords, 7>& types();

bool holds(const names& all, std::string_view one);
/// With commas between them.
std::string joined(const names& all);
/// Of what says nothing of the texts.
bool is_annotation(std::string_view keyword);

[[noreturn]] void fail(const std::string& place, const std::string& expected, const json& found);
/// A member, or nullptr.
const json* find(const json& schema, const char* keyword);
/// Throws where a keyword is not known; `of` says beside what it stands.
void expect_keywords(const json& schema, const names& known, const std::string& place, const std::string& of);

/// The types that a schema names, or those that its keywords are of.
names types_named(const json& schema, const std::string& place);
names types_of(const json& schema, const std::string& place);
/// The type of a value, of which a whole number has two: this is "integer".
std::string_view type_of(const json& value);
/// Whether some value has both types.
bool overlap(std::string_view type, std::string_view other);

} // namespace fovea::core::grammar::schemas
