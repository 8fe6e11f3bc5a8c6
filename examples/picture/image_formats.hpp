#pragma once

#include "image.hpp"

namespace picture {

// Each reads a picture of its format; throws as read_image does.

image read_png(std::string_view bytes, const std::string& name);
image read_jpeg(std::string_view bytes, const std::string& name);
image read_portable_map(std::string_view bytes, const std::string& name); // P5 and P6

/// Throws fovea::error for a size without pixels or with too many.
void check_size(std::size_t width, std::size_t height, const std::string& name);

} // namespace picture
