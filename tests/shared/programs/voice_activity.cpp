// The detector program's parts over ../shared/data's recording: as it arrives, the reference probabilities
// and the intervals in which President Kennedy speaks.

#include "../../examples/program_run.hpp"

#include <audio/sound_file.hpp>
#include <voice_activity/detector.hpp>
#include <voice_activity/intervals.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace voice_activity_program;

TEST_CASE("speech is found in a recording as it arrives", "[voice_activity]") {
  const std::string folder = std::string(std::getenv("FOVEA_SHARED")) + "/data/silero-vad/";
  std::ifstream file(folder + "jfk_expected_prob.txt");
  const std::vector<double> expected(std::istream_iterator<double>(file), {});
  detector ears(folder + "silero_vad_16k.safetensors");
  audio::sound_reader sound(folder + "jfk.wav");
  REQUIRE(sound.rate() == detector::rate);
  REQUIRE(sound.channels() == 1);
  interval_finder finder({}, 0.032);
  std::vector<float> chunk(detector::chunk);
  std::vector<picture::span_of_time> spoken;
  double worst = 0;
  std::size_t at = 0;
  while (const std::size_t got = sound.read(chunk)) {
    std::fill(chunk.begin() + static_cast<std::ptrdiff_t>(got), chunk.end(), 0.0f);
    const double p = static_cast<double>(ears.step(chunk));
    REQUIRE(at < expected.size());
    worst = std::max(worst, std::abs(p - expected[at++]));
    if (const auto one = finder.push(p)) spoken.push_back(*one);
  }
  if (const auto one = finder.finish(11)) spoken.push_back(*one);
  CHECK(at == expected.size());
  CHECK(worst < 2e-6);
  // "And so my fellow Americans / ask not / what your country can do for you / ask what you can do for your
  // country"
  REQUIRE(spoken.size() == 4);
  CHECK(spoken[0].begin == Approx(0.29).margin(0.05));
  CHECK(spoken[3].end == Approx(10.62).margin(0.05));
}

#ifdef FOVEA_VOICE_ACTIVITY_C
TEST_CASE("a program in C finds the same speech", "[voice_activity]") {
  const std::string folder = std::string(std::getenv("FOVEA_SHARED")) + "/data/silero-vad/";
  const temporary_folder place;
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), FOVEA_VOICE_ACTIVITY_C);
    return run_program(place, words);
  };
  const program_run all = run({folder + "silero_vad_16k.safetensors", folder + "jfk.wav"});
  CHECK(all.status == 0);
  CHECK(all.said == "0.32 to 2.27 s\n3.30 to 4.42 s\n5.41 to 7.68 s\n8.19 to 10.59 s\n");
  const program_run none = run({folder + "none.safetensors", folder + "jfk.wav"});
  CHECK(none.status == 1);
  CHECK(none.said ==
        "voice_activity_c: " + folder + "none.safetensors: cannot open: No such file or directory\n");
}
#endif
