#pragma once

#include "image.hpp"

namespace picture {

/// A part of a picture, in pixels.
struct window {
  std::size_t left, top, width, height;
};

/// That part of a picture of `width` x `height` that shows all of `from`, by cubic convolution (Keys 1981, a = -0.5) whose
/// support grows with the reduction: what Pillow's resize with BICUBIC gives, bit for bit.
image resized(const image& from, std::size_t width, std::size_t height, window part);

/// The picture in at most `side` x `side` pixels; never larger than it is.
image thumbnail(const image& from, std::size_t side);

} // namespace picture
