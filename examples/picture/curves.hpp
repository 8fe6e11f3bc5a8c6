#pragma once

#include "canvas.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace picture {

struct curve {
  std::string name;
  std::vector<point> points; // by x, increasing; points without a finite y are left out
  colour ink = blue;
};

/// Draws curves over one pair of axes, as .svg or .png. Throws fovea::error where there is no finite point
/// and where the file cannot be written.
void save(std::span<const curve> curves, const std::string& x_name, const std::filesystem::path& file);

} // namespace picture
