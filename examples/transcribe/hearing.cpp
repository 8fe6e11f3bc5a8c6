#include "hearing.hpp"
#include "network.hpp"

#include <fovea/fovea.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace transcribe_program {
namespace {

constexpr std::size_t window = sizes::window, bins = sizes::bins, bands_heard = sizes::bands;
constexpr std::size_t frames_at_once = 64;

double mel_of(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz_of(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

fovea::weight_tensor waves() {
  fovea::weight_tensor made{{2 * bins, 1, window}, std::vector<float>(2 * bins * window)};
  constexpr double turn = 2 * std::numbers::pi / window;
  for (std::size_t n = 0; n < window; ++n) {
    const double hann = 0.5 - 0.5 * std::cos(turn * static_cast<double>(n));
    for (std::size_t k = 0; k < bins; ++k) {
      const double angle = turn * static_cast<double>(k * n % window);
      made.values[k * window + n] = static_cast<float>(hann * std::cos(angle));
      made.values[(bins + k) * window + n] = static_cast<float>(-hann * std::sin(angle));
    }
  }
  return made;
}

fovea::weight_tensor triangles() {
  fovea::weight_tensor made{{bands_heard, bins}, std::vector<float>(bands_heard * bins)};
  const double step = mel_of(sizes::rate / 2.0) / (bands_heard + 1);
  for (std::size_t b = 0; b < bands_heard; ++b) {
    const auto edge = [&](std::size_t i) { return hertz_of(step * static_cast<double>(b + i)); };
    for (std::size_t k = 0; k < bins; ++k) {
      const double hertz = static_cast<double>(k) * sizes::rate / window;
      const double rise = (hertz - edge(0)) / (edge(1) - edge(0)),
                   fall = (edge(2) - hertz) / (edge(2) - edge(1));
      made.values[b * bins + k] = static_cast<float>(std::max(0.0, std::min(rise, fall)));
    }
  }
  return made;
}

} // namespace

std::map<std::string, fovea::weight_tensor> tables_of_hearing() {
  return {{"spectrum.weight", waves()}, {"bands.weight", triangles()}};
}

struct hearing::state {
  decltype(stream<F>(bands, model_weights::from({}), {})) live;
};

hearing::hearing()
    : state_(new state{stream<F>(bands, model_weights::from(tables_of_hearing()),
                                 {.capacity = {{B, 1}, {F, frames_at_once}}, .threads = 1})}) {}
hearing::~hearing() = default;

xt::xtensor<float, 2> hearing::bands_of(std::span<const float> samples) {
  const std::size_t frames = samples.size() / sizes::samples;
  auto made = xt::xtensor<float, 2>::from_shape({sizes::spectra * frames, bands_heard});
  state_->live.begin();
  for (std::size_t first = 0; first < frames; first += frames_at_once) {
    const std::size_t count = std::min(frames_at_once, frames - first);
    auto part = xt::xtensor<float, 3>::from_shape({1, count, static_cast<std::size_t>(sizes::samples)});
    std::ranges::copy(samples.subspan(first * sizes::samples, part.size()), part.begin());
    const auto out = state_->live.step("samples"_in = part)["bands"_out];
    std::copy_n(&out(0, 0, 0), count * sizes::spectra * bands_heard, &made(first * sizes::spectra, 0));
  }
  return made;
}

} // namespace transcribe_program
