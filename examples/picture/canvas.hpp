#pragma once

#include "image.hpp"

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace picture {

/// Red, green and blue from 0 to 1.
struct colour {
  double red, green, blue;
};
inline constexpr colour black{0.13, 0.13, 0.13}, grey{0.45, 0.45, 0.45}, pale{0.86, 0.86, 0.86},
    white{1, 1, 1}, blue{0.03, 0.27, 0.58}, orange{0.85, 0.37, 0.01};
/// From one colour (0) to another (1).
constexpr colour between(colour a, colour b, double share) {
  const auto mixed = [&](double x, double y) { return x + (y - x) * share; };
  return {mixed(a.red, b.red), mixed(a.green, b.green), mixed(a.blue, b.blue)};
}

struct point {
  double x, y;
};

/// Throws fovea::error for a name that ends neither in .svg nor in .png: what draws at its end asks at its beginning.
void expect_ending(const std::filesystem::path& file);

struct text_style {
  double size = 12;
  double anchor = 0; // what of the text is at its point: 0 its left end, 0.5 its middle, 1 its right end
  double angle = 0;  // in degrees, clockwise
  colour ink = black;
};

/// A drawing in units of a pixel, y downwards, of any extent; it becomes a file by Cairo.
class canvas {
public:
  canvas();

  void fill(point corner, double width, double height, colour ink);
  /// A picture as large as fits into a grey square, in its middle. Throws fovea::error where there is not enough memory.
  void place(const image& shown, point corner, double side);
  void line(std::span<const point> points, colour ink, double width = 1);
  /// UTF-8; the point is on the middle of its height.
  void text(point at, const std::string& words, text_style style = {});
  double text_width(const std::string& words, double size) const;

  /// What has been drawn, with a margin on white: a vector picture for .svg, two dots a unit for .png. Throws
  /// fovea::error for another ending and where the file cannot be written.
  void save(const std::filesystem::path& file) const;

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace picture
