#include "canvas.hpp"

#include <fovea/base/error.hpp>

#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

namespace picture {
namespace {

// A recording that was drawn to SVG keeps itself: only finishing it gives back what it recorded (Cairo 1.16).
void finish(cairo_surface_t* drawn) {
  cairo_surface_finish(drawn);
  cairo_surface_destroy(drawn);
}

using surface = std::unique_ptr<cairo_surface_t, decltype(&finish)>;
using context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

surface owned(cairo_surface_t* made) { return {made, &finish}; }
context drawing_on(const surface& on) { return {cairo_create(on.get()), &cairo_destroy}; }

void use(cairo_t* to, colour ink) { cairo_set_source_rgb(to, ink.red, ink.green, ink.blue); }

} // namespace

void expect_ending(const std::filesystem::path& file) {
  if (file.extension() != ".svg" && file.extension() != ".png")
    throw fovea::error(file.string() + ": expected a name that ends in .svg or .png");
}

struct canvas::state {
  surface recorded = owned(cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, nullptr));
  context pen = drawing_on(recorded);
};

canvas::canvas() : state_(std::make_shared<state>()) {
  cairo_select_font_face(state_->pen.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
}

void canvas::fill(point corner, double width, double height, colour ink) {
  cairo_t* to = state_->pen.get();
  use(to, ink);
  cairo_rectangle(to, corner.x, corner.y, width, height);
  cairo_fill(to);
}

void canvas::place(const image& shown, point corner, double side) {
  const surface pixels = owned(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(shown.width),
                                                          static_cast<int>(shown.height)));
  if (cairo_surface_status(pixels.get()) != CAIRO_STATUS_SUCCESS)
    throw fovea::error("there is not enough memory to draw a picture");
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(pixels.get()));
  unsigned char* const bytes = cairo_image_surface_get_data(pixels.get());
  for (std::size_t y = 0; y < shown.height; ++y)
    for (std::size_t x = 0; x < shown.width; ++x) {
      const std::uint8_t* rgb = &shown.rgb[3 * (y * shown.width + x)];
      const std::uint32_t word = std::uint32_t{rgb[0]} << 16 | std::uint32_t{rgb[1]} << 8 | rgb[2];
      std::memcpy(bytes + y * stride + 4 * x, &word, sizeof word);
    }
  cairo_surface_mark_dirty(pixels.get());

  const auto width = static_cast<double>(shown.width), height = static_cast<double>(shown.height);
  const double scale = side / std::max(width, height);
  fill(corner, side, side, {0.96, 0.96, 0.96});
  cairo_t* to = state_->pen.get();
  cairo_save(to);
  cairo_translate(to, corner.x + (side - scale * width) / 2, corner.y + (side - scale * height) / 2);
  cairo_scale(to, scale, scale);
  cairo_set_source_surface(to, pixels.get(), 0, 0);
  cairo_pattern_set_extend(cairo_get_source(to), CAIRO_EXTEND_PAD); // no edge mixes with what is around it
  cairo_rectangle(to, 0, 0, width, height);
  cairo_fill(to);
  cairo_restore(to);
}

void canvas::line(std::span<const point> points, colour ink, double width) {
  cairo_t* to = state_->pen.get();
  use(to, ink);
  cairo_set_line_width(to, width);
  cairo_set_line_join(to, CAIRO_LINE_JOIN_ROUND);
  cairo_new_path(to); // a text leaves its end as the point to go on from
  for (const point& p : points) cairo_line_to(to, p.x, p.y);
  cairo_stroke(to);
}

void canvas::text(point at, const std::string& words, text_style style) {
  cairo_t* to = state_->pen.get();
  cairo_save(to);
  use(to, style.ink);
  cairo_translate(to, at.x, at.y);
  cairo_rotate(to, style.angle * std::numbers::pi / 180);
  // The same height for every text of a size, so that lines of text are straight.
  cairo_move_to(to, -style.anchor * text_width(words, style.size), 0.35 * style.size);
  cairo_set_font_size(to, style.size);
  cairo_show_text(to, words.c_str());
  cairo_restore(to);
}

double canvas::text_width(const std::string& words, double size) const {
  cairo_t* to = state_->pen.get();
  cairo_text_extents_t extents;
  cairo_set_font_size(to, size);
  cairo_text_extents(to, words.c_str(), &extents);
  return extents.x_advance;
}

void canvas::save(const std::filesystem::path& file) const {
  constexpr double margin = 12, dots = 2;
  double x = 0, y = 0, width = 0, height = 0;
  cairo_recording_surface_ink_extents(state_->recorded.get(), &x, &y, &width, &height);
  width = std::ceil(width + 2 * margin), height = std::ceil(height + 2 * margin);

  expect_ending(file);
  const bool is_png = file.extension() == ".png";
  const surface target =
      owned(is_png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(dots * width),
                                                static_cast<int>(dots * height))
                   : cairo_svg_surface_create(file.c_str(), width, height));
  {
    const context to = drawing_on(target);
    if (is_png) cairo_scale(to.get(), dots, dots);
    use(to.get(), white);
    cairo_paint(to.get());
    cairo_set_source_surface(to.get(), state_->recorded.get(), margin - x, margin - y);
    cairo_paint(to.get());
  }
  cairo_status_t status = CAIRO_STATUS_SUCCESS;
  if (is_png) status = cairo_surface_write_to_png(target.get(), file.c_str());
  cairo_surface_finish(target.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(target.get());
  if (status != CAIRO_STATUS_SUCCESS)
    throw fovea::error(file.string() + ": cannot be written: " + cairo_status_to_string(status));
}

} // namespace picture
