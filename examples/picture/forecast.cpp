#include "forecast.hpp"

#include "canvas.hpp"
#include "ticks.hpp"

#include <fovea/base/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace picture {
namespace {

constexpr double width = 900, upper = 200, lower = 70, gap = 26;
constexpr colour history_ink = grey, truth_ink = blue, forecast_ink = orange, band_ink{0.98, 0.9, 0.82};

/// Where steps lie: the last of the history, and the truth and forecast behind it, are one line.
struct steps_across {
  std::size_t count;
  double at(std::size_t step) const {
    return width * static_cast<double>(step) / static_cast<double>(std::max<std::size_t>(count - 1, 1));
  }
};

/// A panel with its values' axis on the left.
struct panel {
  canvas& to;
  const steps_across& across;
  double top, height;
  range up;

  double at(double y) const { return top + height * (1 - up.share(y)); }
  void axis(const std::string& name, int ticks) const {
    for_ticks(up, ticks, [&](double y) {
      to.line(std::array{point{0, at(y)}, point{width, at(y)}}, pale, 0.6);
      to.text({-8, at(y)}, tick_text(y), {.size = 10, .anchor = 1, .ink = grey});
    });
    to.text({0, top - 11}, name, {.size = 11});
  }
  void line(std::size_t first, std::span<const double> values, colour ink) const {
    std::vector<point> points;
    for (std::size_t i = 0; i < values.size(); ++i) points.push_back({across.at(first + i), at(values[i])});
    to.line(points, ink, 1.4);
  }
};

/// Values of which the first is the last of the history.
std::vector<double> joined(double last, const std::vector<double>& values) {
  std::vector<double> all{last};
  all.insert(all.end(), values.begin(), values.end());
  return all;
}

void draw_values(canvas& to, const forecast_column& c, const steps_across& across, double top) {
  panel p{to, across, top, upper, {}};
  for (const auto* values : {&c.history, &c.truth, &c.forecast})
    for (const double y : *values) p.up.add(y);
  for (std::size_t i = 0; i < c.typical_error.size(); ++i)
    p.up.add(c.forecast[i] - c.typical_error[i]), p.up.add(c.forecast[i] + c.typical_error[i]);
  const std::size_t begin = c.history.size();
  const double half = across.at(1) / 2;
  for (std::size_t i = 0; i < c.typical_error.size(); ++i) {
    const double high = p.at(c.forecast[i] + c.typical_error[i]),
                 low = p.at(c.forecast[i] - c.typical_error[i]);
    const double left = across.at(begin + i) - half;
    to.fill({left, high}, std::min(2 * half, width - left), low - high, band_ink);
  }
  p.axis(c.name, 6);
  p.line(0, c.history, history_ink);
  p.line(begin - 1, joined(c.history.back(), c.truth), truth_ink);
  p.line(begin - 1, joined(c.history.back(), c.forecast), forecast_ink);
  double right = width;
  const auto legend = [&](const std::string& name, colour ink) {
    to.text({right, top - 11}, name, {.size = 11, .anchor = 1, .ink = ink});
    right -= to.text_width(name, 11) + 14;
  };
  legend(c.typical_error.empty() ? "forecast" : "forecast, and its root mean squared error in the test",
         forecast_ink);
  if (!c.truth.empty()) legend("truth", truth_ink);
  legend("history", history_ink);
}

void draw_errors(canvas& to, const forecast_column& c, const steps_across& across, double top) {
  panel p{to, across, top, lower, {}};
  std::vector<double> errors;
  for (std::size_t i = 0; i < c.truth.size(); ++i) errors.push_back(c.forecast[i] - c.truth[i]);
  p.up.add(0);
  for (const double e : errors) p.up.add(e);
  p.axis(c.name + ", forecast less truth", 5);
  p.line(c.history.size(), errors, forecast_ink);
}

} // namespace

void save(const forecast& shown, const std::filesystem::path& file) {
  if (shown.columns.empty() || shown.columns[0].history.empty())
    throw fovea::error(file.string() + ": there is no series to draw");
  const steps_across across{shown.columns[0].history.size() + shown.columns[0].forecast.size()};
  canvas to;
  double top = 0;
  for (const forecast_column& c : shown.columns) {
    draw_values(to, c, across, top);
    top += upper + gap;
    if (c.truth.empty()) continue;
    draw_errors(to, c, across, top);
    top += lower + gap;
  }
  const double floor = top - gap;
  to.line(std::array{point{0, floor}, point{width, floor}}, grey);
  // As many times as have room beside each other.
  std::size_t longest = 1;
  for (const std::string& time : shown.times) longest = std::max(longest, time.size());
  const int room = std::max(1, static_cast<int>(width / (6.5 * static_cast<double>(longest) + 20)));
  const auto tick = static_cast<std::size_t>(std::max(1.0, tick_of(static_cast<double>(across.count), room)));
  for (std::size_t i = 0; i < shown.times.size(); i += tick) {
    to.line(std::array{point{across.at(i), floor}, point{across.at(i), floor + 5}}, grey);
    to.text({across.at(i), floor + 14}, shown.times[i], {.size = 10, .anchor = 0.5, .ink = grey});
  }
  to.text({width / 2, floor + 32}, shown.time_name.empty() ? "step" : shown.time_name,
          {.size = 11, .anchor = 0.5});
  to.save(file);
}

} // namespace picture
