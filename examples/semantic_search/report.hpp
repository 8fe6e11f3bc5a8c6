#pragma once

#include "nearest.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace semantic_search {

/// Breaks a text of one line at its spaces into lines of at most `columns`, each after `indent` spaces; a
/// longer word has a line of its own.
std::string wrapped(std::string_view line, std::size_t columns, std::size_t indent);

/// The hits for people: score, place, text, and where else the same words stand. Throws fovea::error where a
/// file was changed since it was indexed.
std::string report(const text_index& index, std::span<const hit> hits, std::size_t columns);

/// The same for programs: {"question", "passages": [{"score", "text", "places": [{"file", "first_line",
/// "last_line"}]}]}.
std::string json_report(const text_index& index, std::span<const hit> hits, std::string_view question);

} // namespace semantic_search
