#include "drawing.hpp"

#include <picture/canvas.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace classify_image {

void draw(const std::vector<judged_picture>& pictures, const std::filesystem::path& file) {
  constexpr double dots = 2, side = drawn_side / dots, row = side + 34, bar = 15, longest = 240;
  picture::canvas to;
  double names = 0;
  for (const judged_picture& one : pictures)
    for (const judged_label& label : one.labels) names = std::max(names, to.text_width(label.label, 11));
  const double left = side + 20, bars = left + names + 8;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const judged_picture& one = pictures[i];
    const double top = row * static_cast<double>(i);
    to.place(one.shown, {0, top}, side);
    to.text({0, top + side + 10}, one.name, {.size = 9, .ink = picture::grey});
    for (std::size_t k = 0; k < one.labels.size(); ++k) {
      const auto& [label, probability] = one.labels[k];
      const double middle = top + (static_cast<double>(k) + 0.5) * (bar + 4), length = longest * probability;
      to.text({bars - 8, middle}, label, {.size = 11, .anchor = 1});
      to.fill({bars, middle - bar / 2}, longest, bar, picture::pale);
      to.fill({bars, middle - bar / 2}, length, bar, k == 0 ? picture::blue : picture::grey);
      to.text({bars + longest + 6, middle}, fmt::format("{:.1f} %", 100 * probability), {.size = 10});
    }
  }
  to.save(file);
}

} // namespace classify_image
