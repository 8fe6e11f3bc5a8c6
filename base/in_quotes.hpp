#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fovea::core {

/// A text from outside as messages show it: at most that much of it and "…" for the rest, a control character
/// as its number ("\x0a"), and what is not UTF-8 as U+FFFD.
std::string shortened(std::string_view text, std::size_t most_bytes = 80);

/// The same in quotation marks.
std::string in_quotes(std::string_view text);

} // namespace fovea::core
