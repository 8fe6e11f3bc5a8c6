// Plays a sound file, sample by sample, through a network that RTNeural has exported.

#include "sound_network.hpp"

#include <audio/sound_file.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace stream_audio_program;

struct arguments {
  std::string network, in, out;
  double gain = 1;
  bool skip = false, networks = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("NETWORK", a.network, "RTNeural's JSON file");
  app.add_option("IN", a.in, "A sound file; -: the standard input");
  app.add_option("OUT", a.out, "Write what comes out to this WAV");
  app.add_option("--gain", a.gain, "Multiplies the input")->capture_default_str();
  app.add_flag("--skip", a.skip, "Add the input to the output, for networks trained so");
  app.add_flag("--networks", a.networks, "Print the networks that the program is compiled for");
}

void run(const arguments& a) {
  if (a.networks) {
    for (const std::string& layers : known_layers()) program::print(layers + "\n");
    return;
  }
  if (a.in.empty()) throw fovea::error("expected a network and a sound file (--help lists the options)");
  std::vector<std::unique_ptr<sound_network>> channels;
  channels.push_back(network_of(fovea::load_weights(a.network, {.copy = true}), a.skip));
  audio::sound_reader sound(a.in);
  const auto count = static_cast<std::size_t>(sound.channels());
  while (channels.size() < count) channels.push_back(channels[0]->fresh());

  std::vector<float> block(4096 * count), out;
  std::chrono::duration<double> taken{};
  float loudest = 0;
  std::size_t frames = 0;
  while (const std::size_t got = sound.read(block)) {
    frames += got;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < got * count; ++i)
      block[i] = channels[i % count]->step(static_cast<float>(a.gain) * block[i]);
    taken += std::chrono::steady_clock::now() - start;
    for (std::size_t i = 0; i < got * count; ++i) loudest = std::max(loudest, std::abs(block[i]));
    if (!a.out.empty())
      out.insert(out.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got * count));
  }
  if (frames == 0) throw fovea::error(a.in + ": holds no samples");
  if (!a.out.empty()) audio::write_wav(a.out, out, sound.channels(), sound.rate());
  const double seconds = static_cast<double>(frames) / sound.rate(),
               steps = static_cast<double>(frames * count);
  program::print(fmt::format("{}: {}\n{}: {:.2f} s at {} Hz, {} channel{}\n", a.network,
                             layers_of(fovea::load_weights(a.network, {.copy = true})), a.in, seconds,
                             sound.rate(), count, count == 1 ? "" : "s"));
  program::print(
      fmt::format("{:.0f} ns a sample, {:.4f} of real time; the loudest sample that comes out is {:.3f}\n",
                  taken.count() / steps * 1e9, taken.count() / seconds, loudest));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("stream_audio", "Plays sound, sample by sample, through a network.", count,
                                 words, declare, run);
}
