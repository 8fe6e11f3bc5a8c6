#include "curves.hpp"

#include "ticks.hpp"

#include <fovea/base/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace picture {
namespace {

constexpr double width = 640, height = 320;

} // namespace

void save(std::span<const curve> curves, const std::string& x_name, const std::filesystem::path& file) {
  range across, up;
  for (const curve& c : curves)
    for (const point p : c.points)
      if (std::isfinite(p.y)) across.add(p.x), up.add(p.y);
  if (across.least > across.most) throw fovea::error(file.string() + ": there is no curve to draw");
  const auto place = [&](point p) { return point{width * across.share(p.x), height * (1 - up.share(p.y))}; };

  canvas to;
  for_ticks(up, 8, [&](double y) {
    const double at = place({across.least, y}).y;
    to.line(std::array{point{0, at}, point{width, at}}, pale, 0.6);
    to.text({-8, at}, tick_text(y), {.size = 10, .anchor = 1, .ink = grey});
  });
  for_ticks(across, 8, [&](double x) {
    const double at = place({x, up.least}).x;
    to.line(std::array{point{at, height}, point{at, height + 5}}, grey);
    to.text({at, height + 14}, tick_text(x), {.size = 10, .anchor = 0.5, .ink = grey});
  });
  to.line(std::array{point{0, height}, point{width, height}}, grey);
  to.text({width / 2, height + 32}, x_name, {.size = 11, .anchor = 0.5});

  double name_at = 8;
  for (const curve& c : curves) {
    std::vector<point> line;
    for (const point p : c.points)
      if (std::isfinite(p.y)) line.push_back(place(p));
    if (line.empty()) continue;
    to.line(line, c.ink, 1.4);
    to.text({width - 8, name_at}, c.name, {.size = 11, .anchor = 1, .ink = c.ink});
    name_at += 16;
  }
  to.save(file);
}

} // namespace picture
