// Says when somebody speaks in a recording, as it arrives.

#include "detector.hpp"
#include "intervals.hpp"

#include <audio/sound_file.hpp>
#include <picture/canvas.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace voice_activity_program;

struct arguments {
  std::string weights, sound, picture;
  interval_options when;
  bool probabilities = false;
};

void declare(CLI::App& app, arguments& a) {
  const CLI::Range share(0.0, 1.0), seconds(0.0, 60.0);
  app.add_option("WEIGHTS", a.weights, "Silero's silero_vad_16k.safetensors")->required();
  app.add_option("SOUND", a.sound, "A recording of 16000 Hz; -: the standard input")->required();
  app.add_option("--threshold", a.when.threshold, "Speech begins where it is at least so likely")
      ->capture_default_str()
      ->check(share);
  app.add_option("--minimum-speech", a.when.minimum_speech, "Seconds; what is shorter is dropped")
      ->capture_default_str()
      ->check(seconds);
  app.add_option("--minimum-silence", a.when.minimum_silence, "Seconds; shorter pauses do not end speech")
      ->capture_default_str()
      ->check(seconds);
  app.add_option("--padding", a.when.padding, "Seconds that are added around speech")
      ->capture_default_str()
      ->check(seconds);
  app.add_flag("--probabilities", a.probabilities, "Print the probability of each 32 ms instead");
  app.add_option("--picture", a.picture, "Draw waveform and probability to this .svg or .png");
}

void run(const arguments& a) {
  if (!a.picture.empty()) picture::expect_ending(a.picture);
  detector ears(a.weights);
  audio::sound_reader sound(a.sound);
  if (sound.rate() != detector::rate)
    throw fovea::error(
        fmt::format("{}: expected sound of {} Hz, found {} Hz", a.sound, detector::rate, sound.rate()));
  const auto channels = static_cast<std::size_t>(sound.channels());
  constexpr double step = static_cast<double>(detector::chunk) / detector::rate;
  interval_finder finder(a.when, step);
  picture::speech drawn{.rate = detector::rate, .step = step, .threshold = a.when.threshold};
  const auto spoken = [&](const std::optional<picture::span_of_time>& s) {
    if (!s) return;
    drawn.spoken.push_back(*s);
    if (!a.probabilities) program::print(fmt::format("{:.2f} to {:.2f} s\n", s->begin, s->end));
  };

  std::vector<float> read(detector::chunk * channels), chunk(detector::chunk);
  std::chrono::duration<double> taken{};
  std::size_t frames = 0, chunks = 0;
  while (const std::size_t got = sound.read(read)) {
    frames += got, ++chunks;
    std::fill(chunk.begin(), chunk.end(), 0.0f); // behind the end is silence
    for (std::size_t i = 0; i < got; ++i) {
      for (std::size_t c = 0; c < channels; ++c) chunk[i] += read[i * channels + c];
      chunk[i] /= static_cast<float>(channels);
    }
    const auto start = std::chrono::steady_clock::now();
    const float probability = ears.step(chunk);
    taken += std::chrono::steady_clock::now() - start;
    if (a.probabilities) program::print(fmt::format("{:.6f}\n", probability));
    spoken(finder.push(static_cast<double>(probability)));
    if (a.picture.empty()) continue;
    drawn.samples.insert(drawn.samples.end(), chunk.begin(),
                         chunk.begin() + static_cast<std::ptrdiff_t>(got));
    drawn.probabilities.push_back(probability);
  }
  if (frames == 0) throw fovea::error(a.sound + ": holds no samples");
  const double seconds = static_cast<double>(frames) / detector::rate;
  spoken(finder.finish(seconds));
  if (!a.picture.empty()) picture::save(drawn, a.picture);
  if (!a.probabilities)
    program::print(fmt::format("{:.2f} s of sound, {:.0f} us for each {:.0f} ms: {:.4f} of real time\n",
                               seconds, taken.count() / static_cast<double>(chunks) * 1e6, step * 1000,
                               taken.count() / seconds));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("voice_activity", "Says when somebody speaks in a recording.", count, words,
                                 declare, run);
}
