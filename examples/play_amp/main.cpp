// Plays a sound file through an amplifier that Neural Amp Modeler has captured.

#include "amp_network.hpp"

#include <audio/play.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <span>
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
  app.add_option("--size", a.size,
                 "Which of several networks, or part of a network's channels: from 0, the smallest, to 1")
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
  while (channels.size() < static_cast<std::size_t>(sound.channels()))
    channels.push_back(channels[0]->fresh());
  const std::string played =
      audio::play(sound, a.in, a.out, a.gain,
                  [&](std::size_t channel, std::span<float> samples) { channels[channel]->play(samples); });
  program::print(fmt::format("{}: {}\n{}", file.source, text_of(file.shape), played));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("play_amp", "Plays sound through a captured amplifier.", count, words,
                                 declare, run);
}
