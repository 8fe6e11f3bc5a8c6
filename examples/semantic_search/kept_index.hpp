#pragma once

#include <fovea/base/error.hpp>

#include <exception>
#include <filesystem>
#include <optional>
#include <string>

namespace semantic_search {

using notice_of_index = void (*)(const std::string& text);

/// The index in a file; an empty one where there is none, and a notice where it cannot be read.
template <class index>
index kept_index(const std::filesystem::path& file,
                 std::optional<index> (*load)(const std::filesystem::path&), notice_of_index notice) {
  try {
    return load(file).value_or(index{});
  } catch (const fovea::error& problem) {
    notice(std::string(problem.what()) + "; the index is made anew");
    return {};
  }
}

/// Keeps an index; a notice says so where it cannot be kept, and nothing more happens.
template <class index>
void keep_index(const std::filesystem::path& file, const index& made, notice_of_index notice) {
  try {
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
    save_index(file, made);
  } catch (const std::exception& problem) {
    notice(std::string("the index is not kept: ") + problem.what());
  }
}

} // namespace semantic_search
