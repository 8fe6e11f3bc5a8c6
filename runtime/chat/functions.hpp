#pragma once

#include <fovea/runtime/chat/value.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core::jinja {

/// What a loop says of itself.
constexpr std::array<std::string_view, 12> loop_members{"index",    "index0", "revindex", "revindex0",
                                                        "first",    "last",   "length",   "previtem",
                                                        "nextitem", "depth",  "depth0",   "cycle"};

/// The methods of texts, lists and objects, as Python has them.
constexpr std::array<std::string_view, 31> methods{
    "capitalize", "count",      "endswith",     "find",         "format",  "get",   "index",  "isalnum",
    "isalpha",    "isdigit",    "islower",      "isspace",      "isupper", "items", "join",   "keys",
    "lower",      "lstrip",     "removeprefix", "removesuffix", "replace", "rfind", "rsplit", "rstrip",
    "split",      "splitlines", "startswith",   "strip",        "title",   "upper", "values"};

/// The names of what a method, a filter or a macro takes, in their order; `anything` alone of one that does.
using parameters = std::vector<std::string_view>;
constexpr std::string_view anything = "*";
/// Throws fovea::error where it is given what it does not take; `used` places are not for it.
void check_arguments(std::string_view of, const parameters& takes, const arguments& given,
                     std::size_t used = 0);

/// A method of a value as a function; undefined where it has none of this name.
value method(const value& of, std::string_view name);

bool is_filter(std::string_view name);
/// Throws fovea::error that says what was expected.
value filtered(std::string_view name, const arguments& given);
std::string filter_names();

bool is_test(std::string_view name);
bool tested(std::string_view name, const arguments& given);
std::string test_names();

/// What an attribute or an item is; undefined where there is none. Throws fovea::error where `of` is undefined.
value attribute(const value& of, std::string_view name);
value item(const value& of, const value& by);
value slice(const value& of, const value& begin, const value& end, const value& step);

value unary(std::string_view operation, const value& of);
value binary(std::string_view operation, const value& left, const value& right);
bool compared(std::string_view operation, const value& left, const value& right);

/// Names with commas between them.
std::string listed(const std::vector<std::string_view>& names);

} // namespace fovea::core::jinja
