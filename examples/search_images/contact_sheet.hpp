#pragma once

#include "picture_index.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace search_images {

/// Draws the pictures that were found, small, four beside each other, each with its score and name, as .svg or .png. Throws
/// fovea::error where a picture cannot be read any more and where the file cannot be written.
void draw(const std::vector<hit>& hits, const std::string& query, const std::filesystem::path& file);

} // namespace search_images
