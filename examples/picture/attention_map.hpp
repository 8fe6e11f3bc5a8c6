#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace picture {

/// How strongly each row (a word that is written, a query) looks at each column (a word of the source, a
/// key): weights [rows, columns], row-major.
struct attention_map {
  std::string title;
  std::vector<std::string> rows, columns;
  std::vector<float> weights;

  float at(std::size_t row, std::size_t column) const { return weights[row * columns.size() + column]; }
};

/// Writes maps as the file's ending says: .svg or .png a picture, several side by side; .html a page by
/// itself, to look at them one by one; .json to be read again. Throws fovea::error for another ending, a map
/// without weights for each row and column, and where the file cannot be written.
void save(std::span<const attention_map> maps, const std::filesystem::path& file);

/// Reads the maps of a .json file: {"maps": [{"title", "rows", "columns", "weights": [[...], ...]}]}. Throws
/// fovea::error that names the file and what is wrong in it.
std::vector<attention_map> read_attention_maps(const std::filesystem::path& file);

} // namespace picture
