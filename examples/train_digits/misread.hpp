#pragma once

#include "idx.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace train_digits {

/// An image that was taken for another digit, and how sure the network was, 0 to 1.
struct misread {
  std::size_t image;
  int taken_for;
  double probability;
};

/// Draws the first of them, with what they are and what they were taken for, as .svg or .png.
void draw(const digits& from, const std::vector<misread>& some, const std::filesystem::path& file);

} // namespace train_digits
