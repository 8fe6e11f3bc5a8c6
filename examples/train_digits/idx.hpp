#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace train_digits {

inline constexpr std::size_t side = 28; // pixels

/// Images of 28 x 28 grey pixels, 0 the ground and 255 the ink, with the digit that each shows.
struct digits {
  std::vector<std::uint8_t> pixels = {}, labels = {}; // of one image: side * side and 1

  std::size_t count() const { return labels.size(); }
  const std::uint8_t* image(std::size_t i) const { return pixels.data() + i * side * side; }
};

/// Reads two files in the idx format of the MNIST database (LeCun et al. 1998), compressed by gzip or not:
/// images and their labels. Throws fovea::error that names the file where it cannot be read, is no such file,
/// is cut short, or does not fit the other.
digits read_digits(const std::string& images, const std::string& labels);

} // namespace train_digits
