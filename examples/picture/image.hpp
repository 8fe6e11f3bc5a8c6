#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace picture {

/// A picture of bytes: red, green and blue of each pixel, rows from the top.
struct image {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb{}; // [height, width, 3]
};

/// Whether a file that begins with these bytes, some 8, says that it is PNG, JPEG, PPM or PGM.
bool begins_image(std::string_view bytes);

/// The picture in a file's bytes, as Pillow's convert("RGB") has it: of a palette its colours, grey as three equal
/// values, alpha left out. Of 16 bits, grey's too, the upper 8 are taken. A picture is not turned as its camera was.
/// Throws fovea::error that begins with `name` where the bytes are no picture of these kinds, are damaged or have
/// more pixels.
image read_image(std::string_view bytes, const std::string& name, std::size_t most_pixels = 200'000'000);
/// Throws fovea::error, too, where the file cannot be read.
image read_image(const std::filesystem::path& file);

/// All of a file. Throws fovea::error that names it where it cannot be read.
std::string bytes_of(const std::filesystem::path& file);

} // namespace picture
