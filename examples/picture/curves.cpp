#include "curves.hpp"

#include "ticks.hpp"

#include <fovea/base/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace picture {
namespace {

constexpr double width = 640, height = 320;

struct range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double x) { least = std::min(least, x), most = std::max(most, x); }
  double span() const { return most > least ? most - least : 1; }
  double share(double x) const { return (x - least) / span(); }
};

std::string text_of(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", x);
  return text.data();
}

} // namespace

void save(std::span<const curve> curves, const std::string& x_name, const std::filesystem::path& file) {
  range across, up;
  for (const curve& c : curves)
    for (const point p : c.points)
      if (std::isfinite(p.y)) across.add(p.x), up.add(p.y);
  if (across.least > across.most) throw fovea::error(file.string() + ": there is no curve to draw");
  const auto place = [&](point p) { return point{width * across.share(p.x), height * (1 - up.share(p.y))}; };

  canvas to;
  const auto for_ticks = [](const range& r, auto draw) {
    const double tick = tick_of(r.span(), 8);
    for (double i = std::ceil(r.least / tick); i * tick <= r.most + tick * 1e-9; ++i) draw(i * tick);
  };
  for_ticks(up, [&](double y) {
    const double at = place({across.least, y}).y;
    to.line(std::array{point{0, at}, point{width, at}}, pale, 0.6);
    to.text({-8, at}, text_of(y), {.size = 10, .anchor = 1, .ink = grey});
  });
  for_ticks(across, [&](double x) {
    const double at = place({x, up.least}).x;
    to.line(std::array{point{at, height}, point{at, height + 5}}, grey);
    to.text({at, height + 14}, text_of(x), {.size = 10, .anchor = 0.5, .ink = grey});
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
