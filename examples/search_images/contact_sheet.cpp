#include "contact_sheet.hpp"

#include <picture/canvas.hpp>
#include <picture/resize.hpp>

#include <fovea/base/utf8.hpp>

#include <fmt/format.h>

namespace search_images {
namespace {

/// A text that is not wider than `most`, without its beginning where need be.
std::string fitting(const picture::canvas& on, const std::string& text, double size, double most) {
  std::size_t at = 0;
  std::string shown = text;
  while (on.text_width(shown, size) > most && at < text.size()) {
    at += fovea::core::code_point_at(text, at).bytes;
    shown = "\u2026" + text.substr(at);
  }
  return shown;
}

} // namespace

void draw(const std::vector<hit>& hits, const std::string& query, const std::filesystem::path& file) {
  constexpr std::size_t across = 4;
  constexpr double side = 170, gap = 14, row = side + 44, dots = 2, size = 9;
  picture::canvas to;
  to.text({0, 0}, query, {.size = 13});
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const double left = (side + gap) * static_cast<double>(i % across),
                 top = 18 + row * static_cast<double>(i / across);
    const picture::image shown = picture::read_image(std::filesystem::path(hits[i].path));
    to.place(picture::thumbnail(shown, static_cast<std::size_t>(dots * side)), {left, top}, side);
    to.text({left, top + side + 9}, fmt::format("{:.3f}", hits[i].score), {.size = size});
    const std::string name = fovea::core::utf8_or_replacement(hits[i].path);
    to.text({left, top + side + 21}, fitting(to, name, size, side), {.size = size, .ink = picture::grey});
  }
  to.save(file);
}

} // namespace search_images
