#pragma once

#include <cstddef>
#include <string_view>

namespace fovea::core {

/// Whether a pattern fits a whole text, where each `*` stands for any characters, or none.
inline bool fits(std::string_view pattern, std::string_view text) {
  std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  // Each part between two stars fits where it is found first, and the last at the end.
  for (star = pattern.find('*'); star != std::string_view::npos; star = pattern.find('*')) {
    const std::size_t at = text.find(pattern.substr(0, star));
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + star);
    pattern.remove_prefix(star + 1);
  }
  return text.ends_with(pattern);
}

} // namespace fovea::core
