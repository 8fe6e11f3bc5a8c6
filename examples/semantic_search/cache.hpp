#pragma once

#include <filesystem>
#include <optional>
#include <span>

namespace semantic_search {

/// Where the index of these paths, made by the model in that folder, is kept unless the user says otherwise:
/// a file below $XDG_CACHE_HOME, by default ~/.cache (XDG Base Directory Specification). None without a home.
std::optional<std::filesystem::path> default_index(std::span<const std::filesystem::path> paths,
                                                   const std::filesystem::path& model);

/// The models folder in the build folder that holds the running program.
std::filesystem::path default_model();

} // namespace semantic_search
