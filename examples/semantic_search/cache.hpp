#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace semantic_search {

/// Where a program keeps the index of these paths, made by the model in that folder, unless the user says otherwise: a file
/// below $XDG_CACHE_HOME, by default ~/.cache (XDG Base Directory Specification). None without a home.
std::optional<std::filesystem::path> default_index(const std::string& program,
                                                   std::span<const std::filesystem::path> paths,
                                                   const std::filesystem::path& model);

/// The models folder in the build folder that holds the running program.
std::filesystem::path default_model();

} // namespace semantic_search
