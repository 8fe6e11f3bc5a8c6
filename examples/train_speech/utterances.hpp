#pragma once

#include <transcribe/hearing.hpp>
#include <transcribe/speller.hpp>

#include <fovea/backends/xtensor.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace train_speech {

/// A recording and what is said in it.
struct utterance {
  std::filesystem::path file;
  std::string text;
};
/// Throws fovea::error that names the list, and the line that is none.
std::vector<utterance> read_list(const std::string& list);

/// An utterance as the network takes it.
struct example {
  xt::xtensor<float, 2> bands; // [4 frames, bands]
  std::vector<std::int32_t> labels;

  std::size_t frames() const;
};
/// Hears all of them, with a progress bar. Throws fovea::error that names the file and what is wrong with it.
std::vector<example> heard(const std::vector<utterance>& all, const transcribe_program::speller& spells);

/// What brings each band to a mean of 0 and a variance of 1, over all spectra: (x - mean) scale.
struct levels {
  std::vector<float> mean, scale;
};
levels levels_of(std::span<const example> all);
void bring(std::span<example> all, const levels& to);

/// Some examples as a network takes them.
struct batch {
  xt::xtensor<float, 3> bands; // [rows, 4 F, bands], 0 behind the shorter ones
  xt::xtensor<int, 1> frames;  // [rows]
  xt::xtensor<int, 2> labels;  // [rows, S], 0 behind the shorter ones
};
batch batch_of(std::span<const example> all, std::span<const std::size_t> which);

/// How examples are changed while learning: louder or softer by up to `gain` decibels, bands moved by up to `warp`
/// of their frequency (Jaitly and Hinton 2013), and up to `mask` bands and spectra in a row set to 0 (Park et al.
/// 2019), by the seed and the number of the batch.
struct changes {
  double gain = 0, warp = 0;
  int mask = 0;
  std::uint64_t seed = 0;
};
/// The bands were brought to a mean of 0 and a variance of 1 by `brought`.
void change(batch& all, const changes& how, const levels& brought, std::uint64_t number);

} // namespace train_speech
