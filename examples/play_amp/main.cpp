// Plays a sound file through an amplifier that Neural Amp Modeler has captured.

#include "amp_network.hpp"

#include <audio/sound_file.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace play_amp_program;

struct arguments {
  std::filesystem::path network;
  std::string in, out;
  double gain = 1, size = 1;
  bool networks = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("NETWORK", a.network, "Neural Amp Modeler's .nam file");
  app.add_option("IN", a.in, "A sound file; -: the standard input");
  app.add_option("OUT", a.out, "Write what comes out to this WAV");
  app.add_option("--gain", a.gain, "Multiplies the input")->capture_default_str();
  app.add_option("--size", a.size, "Which of a container's networks: from 0, the smallest, to 1")
      ->capture_default_str();
  app.add_flag("--networks", a.networks, "Print the networks that the program is compiled for");
}

void run(const arguments& a) {
  if (a.networks) {
    for (const network_shape& shape : known_shapes()) program::print(text_of(shape) + "\n");
    return;
  }
  if (a.in.empty()) throw fovea::error("expected a network and a sound file (--help lists the options)");
  const nam_file file = read_nam(a.network, a.size);
  std::vector<std::unique_ptr<amp_network>> channels;
  channels.push_back(network_of(file));
  audio::sound_reader sound(a.in);
  if (file.sample_rate && *file.sample_rate != sound.rate())
    throw fovea::error(fmt::format("{}: expected a sound of {} Hz, as {} is for; found {} Hz", a.in,
                                   *file.sample_rate, file.source, sound.rate()));
  const auto count = static_cast<std::size_t>(sound.channels());
  while (channels.size() < count) channels.push_back(channels[0]->fresh());

  std::vector<float> block(4096 * count), one(4096), out;
  std::chrono::duration<double> taken{};
  float loudest = 0;
  std::size_t frames = 0;
  while (const std::size_t got = sound.read(block)) {
    frames += got;
    for (std::size_t c = 0; c < count; ++c) {
      const auto samples = std::span(one).first(got);
      for (std::size_t i = 0; i < got; ++i) samples[i] = static_cast<float>(a.gain) * block[i * count + c];
      const auto start = std::chrono::steady_clock::now();
      channels[c]->play(samples);
      taken += std::chrono::steady_clock::now() - start;
      for (std::size_t i = 0; i < got; ++i) {
        block[i * count + c] = samples[i];
        loudest = std::max(loudest, std::abs(samples[i]));
      }
    }
    if (!a.out.empty())
      out.insert(out.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got * count));
  }
  if (frames == 0) throw fovea::error(a.in + ": holds no samples");
  if (!a.out.empty()) audio::write_wav(a.out, out, sound.channels(), sound.rate());
  const double seconds = static_cast<double>(frames) / sound.rate();
  program::print(fmt::format("{}: {}\n{}: {:.2f} s at {} Hz, {} channel{}\n", file.source,
                             text_of(file.shape), a.in, seconds, sound.rate(), count, count == 1 ? "" : "s"));
  program::print(fmt::format("{:.0f} ns a sample, {:.4f} of real time; the loudest sample that comes out is "
                             "{:.3f}\n",
                             taken.count() / static_cast<double>(frames * count) * 1e9,
                             taken.count() / seconds, loudest));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("play_amp", "Plays sound through a captured amplifier.", count, words,
                                 declare, run);
}
