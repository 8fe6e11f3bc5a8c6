#pragma once

#include "image.hpp"

namespace picture {

/// A picture as its file has it.
struct image_bytes {
  std::string_view bytes;
  const std::string& name; // what messages call it
  std::size_t most_pixels;

  /// Throws fovea::error for a size without pixels or with too many.
  void check_size(std::size_t width, std::size_t height) const;
};

// Each reads a picture of its format; throws as read_image does.

image read_png(const image_bytes& from);
image read_jpeg(const image_bytes& from);
image read_portable_map(const image_bytes& from); // P5 and P6

} // namespace picture
