#include "speech.hpp"

#include "canvas.hpp"
#include "ticks.hpp"

#include <fovea/base/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace picture {
namespace {

constexpr double width = 900, wave = 150, gap = 24, likely = 80;

} // namespace

void save(const speech& recording, const std::filesystem::path& file) {
  if (recording.samples.empty()) throw fovea::error(file.string() + ": there is no sound to draw");
  const double seconds = static_cast<double>(recording.samples.size()) / recording.rate;
  const auto at = [&](double time) { return std::min(time, seconds) / seconds * width; };
  canvas to;
  const double floor = wave + gap + likely;
  for (const span_of_time& s : recording.spoken)
    to.fill({at(s.begin), 0}, at(s.end) - at(s.begin), floor, {0.91, 0.95, 0.99});

  float loudest = 1e-6f;
  for (const float x : recording.samples) loudest = std::max(loudest, std::abs(x));
  const auto columns = static_cast<std::size_t>(width * 2);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::size_t first = i * recording.samples.size() / columns,
                      last = std::max(first + 1, (i + 1) * recording.samples.size() / columns);
    const auto [least, most] = std::minmax_element(
        recording.samples.begin() + static_cast<std::ptrdiff_t>(first),
        recording.samples.begin() + static_cast<std::ptrdiff_t>(std::min(last, recording.samples.size())));
    const double high = wave / 2 * (1 - static_cast<double>(*most / loudest)),
                 low = wave / 2 * (1 - static_cast<double>(*least / loudest));
    to.fill({static_cast<double>(i) / 2, high}, 0.5, std::max(0.6, low - high), blue);
  }

  const auto height = [&](double probability) { return wave + gap + likely * (1 - probability); };
  for (const double level : {0.0, 1.0})
    to.line(std::array{point{0, height(level)}, point{width, height(level)}}, pale);
  to.line(std::array{point{0, height(recording.threshold)}, point{width, height(recording.threshold)}}, grey,
          0.6);
  std::vector<point> line;
  for (std::size_t i = 0; i < recording.probabilities.size(); ++i)
    line.push_back({at((static_cast<double>(i) + 0.5) * recording.step),
                    height(static_cast<double>(recording.probabilities[i]))});
  to.line(line, orange, 1.4);
  to.text({-8, height(1)}, "1", {.size = 10, .anchor = 1, .ink = grey});
  to.text({-8, height(0)}, "0", {.size = 10, .anchor = 1, .ink = grey});
  to.text({-8, wave / 2}, "waveform", {.size = 11, .anchor = 1});
  to.text({-8, height(0.5)}, "speech", {.size = 11, .anchor = 1});

  for (const word& w : recording.words)
    to.text({at(w.at), wave + gap / 2}, w.text, {.size = 14, .anchor = 0.5});

  const double tick = tick_of(seconds, 12);
  for (double time = 0; time <= seconds; time += tick) {
    to.line(std::array{point{at(time), floor}, point{at(time), floor + 5}}, grey);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g s", time);
    to.text({at(time), floor + 14}, text.data(), {.size = 10, .anchor = 0.5, .ink = grey});
  }
  to.save(file);
}

} // namespace picture
