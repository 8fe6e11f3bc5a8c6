#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tool {

/// What a text's places are filled with, by name; a flag that is set has a text that is not empty.
using text_values = std::map<std::string, std::string, std::less<>>;

/// A text with `${name}` replaced and `$${` as `${`, and with the lines between `##if name` or `##if !name`, `##else` and `##end`
/// kept or left out. Throws failure that names the line where it is malformed or a name has no value.
std::string filled(std::string_view text, const text_values& values);

} // namespace tool
