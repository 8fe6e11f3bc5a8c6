#pragma once

#include <fovea/runtime/decoding/grammar/expression.hpp>

#include <string_view>

namespace fovea::core::grammar {

/// Where the matches of a regular expression may lie in a text: they are all of it, or are found in it as JSON Schema
/// has it, unless ^ and $ say that the text begins or ends there.
enum class matches { all, part };

/// A regular expression as a tree: characters, classes [a-z\d] and [^a-z], . for all but a line feed, \d \w \s and
/// \D \W \S (of ASCII), \t \n \r \f \v \0 \xHH \uHHHH, a group (...) or (?:...), |, and ? * + {m} {m,} {m,n} behind
/// what they repeat. Throws fovea::error that names the byte, what was expected and what was found.
expression parse_regular_expression(std::string_view text, matches where = matches::all);

} // namespace fovea::core::grammar
