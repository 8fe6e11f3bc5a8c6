#include "utterances.hpp"

#include <program/text.hpp>
#include <terminal/terminal.hpp>
#include <transcribe/network.hpp>
#include <transcribe/recording.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/runtime/decoding/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace train_speech {

using transcribe_program::sizes;

std::vector<utterance> read_list(const std::string& list) {
  const auto path_of = [](const std::string& text) -> std::filesystem::path {
    return fovea::core::file_path(text);
  };
  const std::filesystem::path folder = path_of(list).parent_path();
  std::vector<utterance> all;
  std::size_t number = 0;
  for (const std::string& line : program::lines_of(list)) {
    ++number;
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    if (tab == 0 || tab == std::string::npos || tab + 1 == line.size() ||
        line.find('\t', tab + 1) != std::string::npos)
      throw fovea::error(fmt::format("{}:{}: expected a file, a tab and what is said in it", list, number));
    all.push_back({folder / path_of(line.substr(0, tab)), line.substr(tab + 1)});
  }
  if (all.empty()) throw fovea::error(list + ": lists no recordings");
  return all;
}

std::size_t example::frames() const { return bands.shape()[0] / sizes::spectra; }

std::vector<example> heard(const std::vector<utterance>& all, const transcribe_program::speller& spells) {
  transcribe_program::hearing hears;
  std::vector<example> made;
  terminal::progress_bar bar("hearing", "recordings", all.size());
  for (const utterance& u : all) {
    const std::string file = u.file.string();
    example one{hears.bands_of(transcribe_program::read_recording(file)), {}};
    try {
      one.labels = spells.labels_of(u.text);
    } catch (const fovea::error& problem) {
      throw fovea::error(fmt::format("{}: its text '{}': {}", file, u.text, problem.what()));
    }
    std::size_t needed = one.labels.size();
    for (std::size_t i = 1; i < one.labels.size(); ++i) needed += one.labels[i] == one.labels[i - 1] ? 1 : 0;
    if (one.frames() < needed)
      throw fovea::error(fmt::format("{}: expected at least {} frames of {} ms for the text '{}', found {}",
                                     file, needed, 1000 * sizes::samples / sizes::rate, u.text,
                                     one.frames()));
    made.push_back(std::move(one));
    bar.show(made.size());
  }
  return made;
}

levels levels_of(std::span<const example> all) {
  std::vector<double> sum(sizes::bands), squares(sizes::bands);
  std::size_t spectra = 0;
  for (const example& e : all) {
    spectra += e.bands.shape()[0];
    for (std::size_t i = 0; i < e.bands.size(); ++i) {
      const double x = e.bands.data()[i];
      sum[i % sizes::bands] += x, squares[i % sizes::bands] += x * x;
    }
  }
  levels made;
  for (std::size_t b = 0; b < sizes::bands; ++b) {
    const double n = static_cast<double>(spectra), mean = sum[b] / n,
                 variance = std::max(squares[b] / n - mean * mean, 1e-10);
    made.mean.push_back(static_cast<float>(mean));
    made.scale.push_back(static_cast<float>(1 / std::sqrt(variance)));
  }
  return made;
}

void bring(std::span<example> all, const levels& to) {
  for (example& e : all)
    for (std::size_t i = 0; i < e.bands.size(); ++i) {
      float& x = e.bands.data()[i];
      x = (x - to.mean[i % sizes::bands]) * to.scale[i % sizes::bands];
    }
}

batch batch_of(std::span<const example> all, std::span<const std::size_t> which) {
  std::size_t frames = 1, labels = 1;
  for (const std::size_t i : which)
    frames = std::max(frames, all[i].frames()), labels = std::max(labels, all[i].labels.size());
  const std::size_t rows = which.size(), bands = sizes::bands;
  batch made{xt::xtensor<float, 3>({rows, sizes::spectra * frames, bands}, 0.0f),
             xt::xtensor<int, 1>::from_shape({rows}), xt::xtensor<int, 2>({rows, labels}, 0)};
  for (std::size_t row = 0; row < rows; ++row) {
    const example& e = all[which[row]];
    std::ranges::copy(e.bands, &made.bands(row, 0, 0));
    made.frames(row) = static_cast<int>(e.frames());
    std::ranges::copy(e.labels, &made.labels(row, 0));
  }
  return made;
}

namespace {

constexpr std::size_t bands = sizes::bands;

/// The bands of a spectrum with `gain` times the energy.
void amplify(float* x, double gain, const levels& brought) {
  for (std::size_t b = 0; b < bands; ++b) {
    const double mean = brought.mean[b], scale = brought.scale[b],
                 energy = std::exp(x[b] / scale + mean) - sizes::silence;
    x[b] = static_cast<float>((std::log(std::max(energy, 0.0) * gain + sizes::silence) - mean) * scale);
  }
}

/// The bands of a spectrum, each from `factor` times its place.
void warp(float* x, double factor) {
  std::array<float, bands> before{};
  std::copy_n(x, bands, before.begin());
  for (std::size_t b = 0; b < bands; ++b) {
    const double from = std::min(static_cast<double>(b) * factor, bands - 1.0);
    const auto low = std::min(static_cast<std::size_t>(from), bands - 2);
    const auto share = static_cast<float>(from - static_cast<double>(low));
    x[b] = before[low] * (1 - share) + before[low + 1] * share;
  }
}

} // namespace

void change(batch& all, const changes& how, const levels& brought, std::uint64_t number) {
  for (std::size_t row = 0; row < all.frames.size(); ++row) {
    std::uint64_t draws = 8 * row;
    // ~seed: the order of the examples is drawn by the seed itself.
    const auto drawn = [&] { return fovea::core::uniform(~how.seed, number, draws++); };
    const auto below = [&](std::size_t n) {
      return static_cast<std::size_t>(drawn() * static_cast<double>(n));
    };
    const std::size_t spectra = sizes::spectra * static_cast<std::size_t>(all.frames(row));
    const double factor = 1 + how.warp * (2 * drawn() - 1), decibels = how.gain * (2 * drawn() - 1);
    for (std::size_t t = 0; t < spectra; ++t) {
      float* const x = &all.bands(row, t, 0);
      if (how.gain > 0) amplify(x, std::pow(10, decibels / 10), brought);
      if (how.warp > 0) warp(x, factor);
    }
    if (how.mask == 0) continue;
    const auto most = static_cast<std::size_t>(how.mask) + 1;
    const std::size_t of_bands = below(most), of_spectra = std::min(below(most), spectra),
                      band = below(bands - std::min(of_bands, bands) + 1),
                      first = below(spectra - of_spectra + 1);
    for (std::size_t t = 0; t < spectra; ++t) {
      float* const x = &all.bands(row, t, 0);
      if (t >= first && t < first + of_spectra)
        std::fill_n(x, bands, 0.0f);
      else
        std::fill_n(x + band, of_bands, 0.0f);
    }
  }
}

} // namespace train_speech
