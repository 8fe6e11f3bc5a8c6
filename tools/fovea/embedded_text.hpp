#pragma once

#include <span>
#include <string_view>

namespace tool {

/// A file of tools/texts/ as it is part of the program, by its path in there.
struct embedded_text {
  std::string_view name, text;
};

std::span<const embedded_text> embedded_texts();

/// The text of that name, which there is.
std::string_view text_named(std::string_view name);

} // namespace tool
