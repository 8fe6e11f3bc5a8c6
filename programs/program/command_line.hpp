#pragma once

#include <fovea/base/file_path.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <filesystem>
#include <string>

// CLI11 as programs use it.

namespace CLI::detail {

/// An option that is a path is a text in UTF-8, as all texts of a command line are.
template <>
inline bool lexical_cast<std::filesystem::path>(const std::string& text, std::filesystem::path& path) {
  path = fovea::core::file_path(text);
  return true;
}

} // namespace CLI::detail
