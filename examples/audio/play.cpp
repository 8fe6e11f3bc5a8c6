#include "play.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <vector>

namespace audio {

std::string play(sound_reader& sound, const std::string& in, const std::string& out, double gain,
                 const std::function<void(std::size_t channel, std::span<float> samples)>& play_channel) {
  constexpr std::size_t most = 4096; // frames at a time
  constexpr double most_gain = 1000;
  if (!(std::abs(gain) <= most_gain)) // which is no number either
    throw fovea::error(
        fmt::format("gain: expected a number from {} to {}, found {}", -most_gain, most_gain, gain));
  if (!out.empty()) expect_wav(out);
  std::error_code absent;
  if (std::filesystem::equivalent(in, out, absent))
    throw fovea::error(out + ": expected another file than the one that is played");
  const auto channels = static_cast<std::size_t>(sound.channels());
  std::vector<float> block(most * channels), one(most), all;
  std::chrono::duration<double> taken{};
  float loudest = 0;
  std::size_t frames = 0;
  while (const std::size_t got = sound.read(block)) {
    frames += got;
    for (std::size_t c = 0; c < channels; ++c) {
      const auto samples = std::span(one).first(got);
      for (std::size_t i = 0; i < got; ++i) samples[i] = static_cast<float>(gain) * block[i * channels + c];
      const auto start = std::chrono::steady_clock::now();
      play_channel(c, samples);
      taken += std::chrono::steady_clock::now() - start;
      for (std::size_t i = 0; i < got; ++i) {
        block[i * channels + c] = samples[i];
        loudest = std::max(loudest, std::abs(samples[i]));
      }
    }
    if (!out.empty())
      all.insert(all.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got * channels));
  }
  if (frames == 0) throw fovea::error(in + ": holds no samples");
  if (!out.empty()) write_wav(out, all, sound.channels(), sound.rate());
  const double seconds = static_cast<double>(frames) / sound.rate();
  return fmt::format(
      "{}: {:.2f} s at {} Hz, {} channel{}\n{:.0f} ns a sample, {:.4f} of real time; the loudest "
      "sample that comes out is {:.3f}\n",
      in, seconds, sound.rate(), channels, channels == 1 ? "" : "s",
      taken.count() / static_cast<double>(frames * channels) * 1e9, taken.count() / seconds, loudest);
}

} // namespace audio
