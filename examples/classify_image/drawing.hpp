#pragma once

#include "classifier.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace classify_image {

/// A picture, small, and its labels, the most probable first.
struct judged_picture {
  std::string name;
  picture::image shown;
  std::vector<judged_label> labels;
};

/// The greatest width and height of a picture in the drawing, in pixels.
inline constexpr std::size_t drawn_side = 320;

/// Draws each picture beside bars of its labels, as .svg or .png. Throws fovea::error where the file cannot be written.
void draw(const std::vector<judged_picture>& pictures, const std::filesystem::path& file);

} // namespace classify_image
