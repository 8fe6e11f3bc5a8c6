#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea::core::grammar {

/// What strings of a `format` of JSON Schema are: a regular expression for all of the text, or "" where the format says
/// nothing of it. Nothing where the format is not known.
std::optional<std::string> expression_of_format(std::string_view format);

/// The names of the formats, with commas between them.
std::string format_names();

} // namespace fovea::core::grammar
