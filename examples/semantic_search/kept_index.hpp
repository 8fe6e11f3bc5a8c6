#pragma once

#include <fovea/base/error.hpp>

#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace semantic_search {

using notice_of_index = void (*)(const std::string& text);

/// Whether a file begins as indexes do, whose header names the program.
inline bool begins_as_index(const std::filesystem::path& file) {
  std::string begin(4096, '\0');
  std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.find("\"fovea s") != std::string::npos;
}

/// The index in a file; an empty one where there is none, and a notice where it cannot be read. Throws fovea::error
/// where the file is no index, which would be lost.
template <class index>
index kept_index(const std::filesystem::path& file,
                 std::optional<index> (*load)(const std::filesystem::path&), notice_of_index notice) {
  try {
    return load(file).value_or(index{});
  } catch (const fovea::error& problem) {
    if (!begins_as_index(file))
      throw fovea::error(file.string() +
                         ": expected an index, or no file; found a file that is none, and left it");
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
