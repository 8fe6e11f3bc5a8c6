#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace tool {

/// "404 B", "61.3 kB", "90.9 MB".
inline std::string size_text(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1000) return fmt::format("{} B", bytes);
  return size < 1e6 ? fmt::format("{:.1f} kB", size / 1e3) : fmt::format("{:.1f} MB", size / 1e6);
}

} // namespace tool
