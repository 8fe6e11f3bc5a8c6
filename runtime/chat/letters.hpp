#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::core::jinja {

// The cases of letters, one letter for one: Python's longer forms ("SS" of "ß") are not made.

std::string upper(std::string_view text);
std::string lower(std::string_view text);
/// The first letter of the text in upper case, all others in lower case.
std::string capitalized(std::string_view text);
/// The first letter of each run of letters in upper case: Python's str.title.
std::string title(std::string_view text);
/// The same of each word between spaces, brackets and hyphens: jinja2's filter of this name.
std::string title_of_words(std::string_view text);
bool is_decimal(std::uint32_t point);

} // namespace fovea::core::jinja
