// Captured amplifiers, .nam files of Neural Amp Modeler, in blocks of 64 samples: one thread, the state kept.
// bench/peers/amplifiers_nam.cpp times the same in the library that defines the format.
//
//     amplifiers wavenet.nam A2.nam@0 A2.nam@1 ...    # @: which of a container's networks

#include "program.hpp"

#include <play_amp/amp_network.hpp>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace fovea::core;

void measure(bench::report& report, const std::string& argument) {
  constexpr size_t block = 64, blocks = 750; // a second at 48 kHz
  const size_t at = argument.rfind('@');
  const std::string file = argument.substr(0, at);
  const double size = at == std::string::npos ? 1 : std::stod(argument.substr(at + 1));
  const auto network = play_amp_program::network_of(play_amp_program::read_nam(file, size));
  bench::timings t;
  for (size_t i = 0; i < 20 * blocks; ++i) {
    std::array<float, block> sound{};
    for (size_t k = 0; k < block; ++k)
      sound[k] = 0.2f * std::sin(0.03f * static_cast<float>((i % blocks) * block + k));
    t.add(bench::time_us([&] { network->play(sound); }));
  }
  report.add("amplifiers/" + std::filesystem::path(argument).filename().string(), t);
}

} // namespace

int main(int count, char** words) {
  std::vector<std::string> files;
  return bench::run(
      "Times captured amplifiers in blocks of 64 samples.", count, words,
      [&](bench::report& report) {
        for (const std::string& file : files) measure(report, file);
      },
      [&](CLI::App& app) {
        app.add_option("FILE", files, "A .nam file, with @SIZE of a container")->required();
      });
}
