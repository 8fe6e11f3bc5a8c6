// Plays a sound file, sample by sample, through a network that RTNeural has exported.

#include "sound_network.hpp"

#include <audio/play.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>

#include <span>
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
  while (channels.size() < static_cast<std::size_t>(sound.channels()))
    channels.push_back(channels[0]->fresh());
  const std::string played =
      audio::play(sound, a.in, a.out, a.gain, [&](std::size_t channel, std::span<float> samples) {
        for (float& sample : samples) sample = channels[channel]->step(sample);
      });
  program::print(fmt::format("{}: {}\n{}", a.network,
                             layers_of(fovea::load_weights(a.network, {.copy = true})), played));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("stream_audio", "Plays sound, sample by sample, through a network.", count,
                                 words, declare, run);
}
