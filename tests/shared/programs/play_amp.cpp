// Neural Amp Modeler's own example files, against what they give in double precision (../shared/data/nam).

#include <play_amp/amp_network.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace play_amp_program;

namespace {

std::string folder() { return std::string(std::getenv("FOVEA_SHARED")) + "/data/nam/"; }

std::vector<float> samples(const std::string& name, std::size_t count) {
  std::vector<float> made(count);
  std::ifstream file(folder() + name, std::ios::binary);
  file.read(reinterpret_cast<char*>(made.data()), static_cast<std::streamsize>(count * sizeof(float)));
  REQUIRE(file.gcount() == static_cast<std::streamsize>(count * sizeof(float)));
  return made;
}

/// The greatest difference to the reference, of its greatest value.
double difference(const std::string& file, double size, const std::string& reference) {
  constexpr std::size_t all = 96000, part = 24000, second = 48000, block = 1000;
  std::vector<float> played = samples("input.f32", all);
  const auto network = network_of(read_nam(folder() + file, size));
  for (std::size_t from = 0; from < all; from += block) network->play(std::span(played).subspan(from, block));
  const std::vector<float> expected = samples(reference + ".ref.f32", 2 * part);
  double worst = 0, peak = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float found = played[i < part ? i : second + i - part];
    worst = std::max(worst, std::abs(static_cast<double>(found) - static_cast<double>(expected[i])));
    peak = std::max(peak, std::abs(static_cast<double>(expected[i])));
  }
  return worst / peak;
}

} // namespace

TEST_CASE("captured amplifiers play as their references", "[play_amp]") {
  CHECK(difference("wavenet.nam", 1, "wavenet") < 1e-5);
  CHECK(difference("lstm.nam", 1, "lstm") < 1e-5);
  CHECK(difference("slimmable_wavenet.nam", 1, "slimmable_wavenet") < 1e-5);
  CHECK(difference("A2.nam", 1, "A2_full") < 1e-5);
  CHECK(difference("A2.nam", 0.25, "A2_lite") < 1e-5);
  CHECK(difference("wavenet_a1_standard.nam", 1, "wavenet_a1_standard") < 1e-5);
  CHECK(difference("wavenet_a2_max.nam", 1, "wavenet_a2_max") < 1e-5);
}
