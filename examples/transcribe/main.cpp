// Writes what is said in a recording, as it arrives, by a network that train_speech trained.

#include "ears.hpp"
#include "network.hpp"
#include "recording.hpp"
#include "subtitles.hpp"

#include <picture/canvas.hpp>
#include <picture/speech.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fovea/base/error.hpp>
#include <fovea/decoding.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace transcribe_program;

struct arguments {
  std::string folder, sound, format = "text", picture;
  std::size_t beam = 0;
  subtitle_options lines;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("FOLDER", a.folder, "What train_speech wrote")->required();
  app.add_option("SOUND", a.sound, fmt::format("A recording of {} Hz; -: the standard input", sizes::rate))
      ->required();
  app.add_option("--format", a.format, "text, times (a line for each character) or srt (subtitles)")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "times", "srt"}));
  app.add_option("--beam", a.beam,
                 "Look for the most probable text at the end, by a beam of so many, in place of the best "
                 "character of each frame")
      ->check(CLI::Range(1, 10000));
  app.add_option("--pause", a.lines.pause, "Seconds of silence that end a subtitle")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 60.0));
  app.add_option("--picture", a.picture,
                 "Draw waveform, characters and their probability to this .svg or .png");
}

/// The probability that a frame says a character, by its scores.
float probability_of_any(const float* scores) {
  const float most = *std::max_element(scores, scores + sizes::classes);
  double sum = 0;
  for (int k = 0; k < sizes::classes; ++k) sum += std::exp(static_cast<double>(scores[k] - most));
  return static_cast<float>(1 - std::exp(static_cast<double>(scores[0] - most)) / sum);
}

void run(const arguments& a) {
  if (!a.picture.empty()) picture::expect_ending(a.picture);
  if (a.beam > 0 && a.format != "text")
    throw fovea::error(
        fmt::format("--beam: expected --format text, for it gives a text without times; found {}", a.format));
  ears listener(a.folder);
  recording sound(a.sound, ears::frames_at_once);
  constexpr double step = static_cast<double>(sizes::samples) / sizes::rate;
  picture::speech drawn{.rate = sizes::rate, .step = step};
  std::vector<heard> all;
  std::vector<float> scores; // [frames, classes]
  fovea::ctc_reader reader;
  std::chrono::duration<double> taken{};
  const auto read = [&](const xt::xtensor<float, 2>& now) {
    for (const fovea::ctc_label& l : reader.read(now)) {
      all.push_back({listener.spells().text_of(l.label), static_cast<double>(l.frame) * step});
      if (a.beam == 0 && a.format == "text") program::print(all.back().character);
      if (a.beam == 0 && a.format == "times")
        program::print(fmt::format("{:.2f} s {}\n", all.back().at, all.back().character));
    }
    scores.insert(scores.end(), now.begin(), now.end());
  };
  const auto timed = [&](auto work) {
    const auto start = std::chrono::steady_clock::now();
    const xt::xtensor<float, 2> now = work();
    taken += std::chrono::steady_clock::now() - start;
    read(now);
  };
  for (std::vector<float> samples = sound.next(); !samples.empty(); samples = sound.next()) {
    timed([&] { return listener.listen(samples); });
    if (!a.picture.empty()) drawn.samples.insert(drawn.samples.end(), samples.begin(), samples.end());
  }
  timed([&] { return listener.end(); });
  if (a.beam > 0) {
    auto whole = xt::xtensor<float, 2>::from_shape(
        {scores.size() / sizes::classes, static_cast<std::size_t>(sizes::classes)});
    std::ranges::copy(scores, whole.begin());
    const fovea::ctc_text best = fovea::ctc_beam_search(whole, {.width = a.beam}).front();
    program::print(
        fmt::format("{} ({:.3f})", listener.spells().text_of(best.labels), std::exp(best.log_probability)));
  }
  if (a.beam > 0 || a.format == "text") program::print("\n");
  if (a.format == "srt") program::print(srt_of(subtitles_of(all, a.lines, sound.seconds())));
  if (!a.picture.empty()) {
    for (std::size_t at = 0; at < scores.size(); at += sizes::classes)
      drawn.probabilities.push_back(probability_of_any(&scores[at]));
    for (const heard& h : all) drawn.words.push_back({h.at + step / 2, h.character});
    picture::save(drawn, a.picture);
  }
  program::notice("transcribe",
                  fmt::format("{:.2f} s of sound in {:.0f} ms: {:.4f} of real time", sound.seconds(),
                              taken.count() * 1000, taken.count() / sound.seconds()));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("transcribe", "Writes what is said in a recording.", count, words, declare,
                                 run);
}
