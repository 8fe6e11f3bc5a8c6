// Silero's detector with its trained weights against the probabilities of ../shared/data/silero-vad: the
// whole recording at once, chunk by chunk, and several chunks at a time.

#include <fovea/fovea.hpp>
#include <fovea/models/silero_vad.hpp>
#include <fovea/runtime/stream.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using models::silero_vad;

namespace {

inline constexpr dim B{"B"}, T{"T"};

std::string folder() { return std::string(std::getenv("FOVEA_SHARED")) + "/data/silero-vad/"; }

/// The samples of the recording (16 bit, one channel) in chunks of 512, the last filled with zeros.
xt::xtensor<float, 3> chunks_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  std::size_t at = 12, size = 0;
  for (; at + 8 <= bytes.size(); at += 8 + size + size % 2) {
    std::uint32_t length;
    std::memcpy(&length, bytes.data() + at + 4, 4);
    size = length;
    if (std::memcmp(bytes.data() + at, "data", 4) == 0) break;
  }
  REQUIRE(at + 8 + size <= bytes.size());
  const std::size_t samples = size / 2;
  xt::xtensor<float, 3> made = xt::zeros<float>({std::size_t{1}, (samples + 511) / 512, std::size_t{512}});
  for (std::size_t i = 0; i < samples; ++i) {
    std::int16_t sample;
    std::memcpy(&sample, bytes.data() + at + 8 + 2 * i, 2);
    made.data()[i] = static_cast<float>(sample) / 32768.0f;
  }
  return made;
}

} // namespace

TEST_CASE("the voice activity detector gives its reference probabilities, whole and streamed",
          "[silero_vad]") {
  INFO(instruction_set());
  std::ifstream file(folder() + "jfk_expected_prob.txt");
  const std::vector<double> expected(std::istream_iterator<double>(file), {});
  REQUIRE(expected.size() == 344);
  const auto samples = chunks_of(folder() + "jfk.wav");
  REQUIRE(samples.shape()[1] == 344);
  const model_weights from = load_weights(folder() + "silero_vad_16k.safetensors");
  const auto worst = [&](const auto& found, std::size_t first) {
    double most = 0;
    for (std::size_t i = 0; i < found.shape()[1]; ++i)
      most = std::max(most, std::abs(static_cast<double>(found(0, i)) - expected[first + i]));
    return most;
  };
  // The probabilities were computed in float32.
  auto exact = compile<reference>(silero_vad, from, {.capacity = {{B, 1}, {T, 344}}});
  CHECK(worst(exact("samples"_in = samples)["probability"_out], 0) < 1e-6);
  auto net = compile(silero_vad, from, {.capacity = {{B, 1}, {T, 344}}});
  CHECK(worst(net("samples"_in = samples)["probability"_out], 0) < 2e-6);

  auto live = stream<T>(silero_vad, from, {.capacity = {{B, 1}, {T, 344}}});
  for (const std::size_t count : {1u, 7u}) {
    live.begin();
    double most = 0;
    for (std::size_t at = 0; at < 344; at += count) {
      const xt::xtensor<float, 3> some =
          xt::view(samples, xt::all(), xt::range(at, std::min<std::size_t>(at + count, 344)), xt::all());
      most = std::max(most, worst(live.step("samples"_in = some)["probability"_out], at));
    }
    CHECK(most < 2e-6);
  }
}
