// Runs of train_speech and transcribe, and their parts.

#include "program_run.hpp"

#include <audio/sound_file.hpp>
#include <train_speech/utterances.hpp>
#include <transcribe/network.hpp>
#include <transcribe/recording.hpp>
#include <transcribe/subtitles.hpp>

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

using namespace train_speech;
using namespace transcribe_program;

namespace {

namespace fs = std::filesystem;

/// Each letter a tone of its own, with silence around it.
std::vector<float> tones(const std::string& text) {
  std::vector<float> made(800);
  for (const char c : text) {
    const double hertz = 400.0 * (c - 'a' + 1);
    for (std::size_t i = 0; i < 2000; ++i)
      made.push_back(0.3f * static_cast<float>(std::sin(2 * std::numbers::pi * hertz *
                                                        static_cast<double>(i) / sizes::rate)));
    made.resize(made.size() + 1600);
  }
  return made;
}

/// A list of recordings of all pairs of letters.
struct files {
  temporary_folder folder;
  std::string list = (folder / "list.tsv").string(), out = (folder / "out").string();

  files() {
    std::string lines;
    for (const char a : {'a', 'b', 'c', 'd'})
      for (const char b : {'a', 'b', 'c', 'd'}) {
        const std::string text{a, b};
        audio::write_wav(folder / (text + ".wav"), tones(text), 1, sizes::rate);
        lines += text + ".wav\t" + text + "\n";
      }
    folder.write("list.tsv", lines);
  }
  program_run train(std::vector<std::string> more) const {
    std::vector<std::string> words{FOVEA_TRAIN_SPEECH, list, "--out",          out,
                                   "--threads",        "1",  "--save-seconds", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder, words);
  }
  program_run transcribe(std::vector<std::string> more) const {
    more.insert(more.begin(), FOVEA_TRANSCRIBE);
    return run_program(folder, more);
  }
};

} // namespace

TEST_CASE("a network learns what tones stand for, and writes it", "[train_speech]") {
  const files f;
  const program_run first = f.train({"--test", f.list, "--steps", "500", "--batch", "8"});
  INFO(first.said);
  REQUIRE(first.status == 0);
  CHECK_THAT(first.said,
             Catch::Contains("16 recordings to learn from, 0 to choose by, 16 to test; 4 characters"));
  const program_run more = f.train({"--test", f.list, "--steps", "1000", "--batch", "8", "--resume"});
  INFO(more.said);
  CHECK_THAT(more.said, Catch::Contains("\ntest loss 0.") &&
                            Catch::Contains("test, characters wrong 0.00 % of 32") &&
                            Catch::Contains("test, texts right 100.00 % of 16"));

  const std::string sound = (f.folder / "db.wav").string();
  CHECK_THAT(f.transcribe({f.out, sound}).said, Catch::StartsWith("db\n"));
  CHECK_THAT(f.transcribe({f.out, sound, "--beam", "4"}).said,
             Catch::StartsWith("db (0.") || Catch::StartsWith("db (1."));
  CHECK_THAT(f.transcribe({f.out, sound, "--format", "srt"}).said,
             Catch::StartsWith("1\n00:00:00,") && Catch::Contains("\ndb\n"));
  const std::string picture = (f.folder / "db.svg").string();
  const program_run drawn = f.transcribe({f.out, sound, "--format", "times", "--picture", picture});
  CHECK_THAT(drawn.said, Catch::Contains(" s d\n") && Catch::Contains(" s b\n"));
  CHECK_THAT(content(picture), Catch::Contains("</svg>"));
}

TEST_CASE("recordings are held out to choose by", "[train_speech]") {
  const files f;
  const program_run run = f.train({"--validation", "0.25", "--steps", "2", "--batch", "4", "--mask", "3",
                                   "--warp", "0.1", "--gain", "6"});
  INFO(run.said);
  CHECK(run.status == 0);
  CHECK_THAT(run.said, Catch::Contains("12 recordings to learn from, 4 to choose by, 0 to test") &&
                           Catch::Contains("\nvalidation loss ") &&
                           Catch::Contains("held out, characters wrong"));
}

TEST_CASE("bad input to train_speech and transcribe is one line", "[train_speech]") {
  const files f;
  const auto refusal = [](const program_run& one) {
    INFO(one.said);
    CHECK(one.status == 2);
    CHECK(one.is_one_line());
    return one.said;
  };
  CHECK_THAT(refusal(f.train({})), Catch::Contains("expected --test or --validation"));
  CHECK_THAT(refusal(f.train({"--test", f.list, "--patience", "3"})),
             Catch::Contains("expected --validation"));
  f.folder.write("bare.tsv", "aa.wav\taa\nab.wav ab\n");
  CHECK_THAT(refusal(f.train({"--test", (f.folder / "bare.tsv").string()})),
             Catch::Contains("bare.tsv:2: expected a file, a tab and what is said in it"));
  f.folder.write("empty.tsv", "aa.wav\taa\nab.wav\t\n");
  CHECK_THAT(refusal(f.train({"--test", (f.folder / "empty.tsv").string()})),
             Catch::Contains("empty.tsv:2: expected a file, a tab and what is said in it"));
  CHECK_THAT(refusal(f.transcribe({f.out, (f.folder / "aa.wav").string(), "--beam", "4", "--format", "srt"})),
             Catch::Contains("--beam: expected --format text, for it gives a text without times; found srt"));
  CHECK_THAT(refusal(f.transcribe({"absent", "absent.wav", "--picture", "said.jpg"})),
             Catch::Contains("said.jpg: expected a name that ends in .svg or .png"));
  f.folder.write("none.tsv", "zz.wav\taa\n");
  CHECK_THAT(refusal(f.train({"--test", (f.folder / "none.tsv").string()})),
             Catch::Contains("zz.wav: cannot open: No such file or directory"));
  f.folder.write("other.tsv", "aa.wav\taä\n");
  CHECK_THAT(refusal(f.train({"--test", (f.folder / "other.tsv").string()})),
             Catch::Contains("aa.wav: its text 'aä': expected characters that were learned, found 'ä'"));
  f.folder.write("long.tsv", "aa.wav\t" + std::string(14, 'a') + "\n");
  CHECK_THAT(refusal(f.train({"--test", (f.folder / "long.tsv").string()})),
             Catch::Contains("aa.wav: expected at least 27 frames of 40 ms for the text"));
  audio::write_wav(f.folder / "fast.wav", tones("a"), 1, 16000);
  f.folder.write("fast.tsv", "fast.wav\ta\n");
  CHECK_THAT(refusal(f.train({"--test", (f.folder / "fast.tsv").string()})),
             Catch::Contains("fast.wav: expected sound of 8000 Hz, found 16000 Hz"));
  CHECK_THAT(refusal(f.transcribe({f.out, (f.folder / "aa.wav").string()})),
             Catch::Contains("characters.json: no such file; train_speech writes it"));
}

TEST_CASE("a recording is heard alike at once and by parts", "[train_speech]") {
  std::vector<float> samples = tones("abcd");
  samples.resize(100 * sizes::samples); // more frames than are heard at once
  hearing hears;
  const xt::xtensor<float, 2> whole = hears.bands_of(samples);
  CHECK(whole.shape()[0] == 400);
  const xt::xtensor<float, 2> begin = hears.bands_of(std::span(samples).first(37 * sizes::samples));
  for (std::size_t i = 0; i < begin.size(); ++i)
    CHECK(begin.data()[i] == Approx(whole.data()[i]).margin(1e-4));
  // Where a tone of 800 Hz sounds, its band is the loudest: 800 Hz are 859 mel, of 2,146 in 41 steps.
  const float* tone = &whole(60, 0);
  CHECK(std::abs(std::max_element(tone, tone + sizes::bands) - tone - 15) <= 1);
}

TEST_CASE("bands are brought to one level, batched and changed", "[train_speech]") {
  std::vector<example> all;
  for (const std::size_t frames : {2u, 3u}) {
    auto bands =
        xt::xtensor<float, 2>::from_shape({frames * sizes::spectra, static_cast<std::size_t>(sizes::bands)});
    for (std::size_t i = 0; i < bands.size(); ++i)
      bands.data()[i] = static_cast<float>(i % 7) + static_cast<float>(i % 40);
    all.push_back({bands, std::vector<std::int32_t>(frames, 2)});
  }
  const levels brought = levels_of(all);
  bring(all, brought);
  const levels now = levels_of(all);
  for (std::size_t b = 0; b < now.mean.size(); ++b) {
    CHECK(now.mean[b] == Approx(0).margin(1e-5));
    CHECK(now.scale[b] == Approx(1).epsilon(1e-4));
  }
  const std::vector<std::size_t> which{1, 0};
  const batch plain = batch_of(all, which);
  CHECK(plain.frames(0) == 3);
  CHECK(plain.frames(1) == 2);
  CHECK(plain.labels(1, 2) == 0);
  CHECK(plain.bands(1, 8, 0) == 0);
  CHECK(plain.bands(0, 8, 3) == all[1].bands(8, 3));

  batch same = plain, moved = plain, again = plain, masked = plain, louder = plain;
  change(same, {.seed = 3}, brought, 1);
  CHECK((same.bands == plain.bands));
  change(moved, {.warp = 0.2, .seed = 3}, brought, 1);
  change(again, {.warp = 0.2, .seed = 3}, brought, 1);
  CHECK((moved.bands != plain.bands));
  CHECK((moved.bands == again.bands));
  CHECK(moved.bands(1, 8, 5) == 0); // behind the end
  // All energies of a row grow or shrink alike: here they are far above silence.
  change(louder, {.gain = 20, .seed = 3}, brought, 1);
  const auto nepers = [&](std::size_t row, std::size_t t, std::size_t b) {
    return (louder.bands(row, t, b) - plain.bands(row, t, b)) / brought.scale[b];
  };
  for (const std::size_t row : {0u, 1u}) {
    const float gain = nepers(row, 0, 0);
    CHECK((gain != 0 && std::abs(gain) < 4.61f)); // 20 dB are ln 100
    for (std::size_t t = 0; t < 8; ++t)
      for (std::size_t b = 0; b < sizes::bands; ++b) CHECK(nepers(row, t, b) == Approx(gain).margin(1e-3));
  }
  CHECK(nepers(0, 0, 0) != nepers(1, 0, 0));
  CHECK(louder.bands(1, 8, 5) == 0);
  bool any = false;
  for (std::uint64_t number = 0; number < 10; ++number) {
    masked = plain;
    change(masked, {.mask = 5, .seed = 3}, brought, number);
    for (std::size_t i = 0; i < plain.bands.size(); ++i) {
      CHECK((masked.bands.data()[i] == plain.bands.data()[i] || masked.bands.data()[i] == 0));
      any = any || masked.bands.data()[i] != plain.bands.data()[i];
    }
  }
  CHECK(any);
}

TEST_CASE("texts are spelled, compared and shown", "[train_speech]") {
  const temporary_folder folder;
  const speller spells({"ba", "ä b"}, "list");
  CHECK(spells.characters() == std::vector<std::string>{" ", "a", "b", "ä"});
  CHECK(spells.labels_of("bä") == std::vector<std::int32_t>{3, 4});
  CHECK(spells.text_of({4, 0, 3, 47}) == "äb");
  std::string many;
  for (char c = ' '; c < 'Z'; ++c) many += c;
  CHECK(message_of<fovea::error>([&] { speller({many}, "list"); }) ==
        "list: expected at most 47 different characters, found 58");
  const fs::path file = folder.write("characters.json", "[1, 2]");
  CHECK_THAT(message_of<fovea::error>([&] { speller{file}; }),
             Catch::EndsWith("expected a list of at most 47 characters, as train_speech writes it"));

  CHECK(edits_between({}, {}) == 0);
  CHECK(edits_between({1, 2, 3}, {}) == 3);
  CHECK(edits_between({1, 2, 3}, {1, 3}) == 1);
  CHECK(edits_between({1, 2, 3}, {4, 2, 3, 3}) == 2);
  CHECK(edits_between({1, 2}, {2, 1}) == 2);

  const std::vector<subtitle> shown =
      subtitles_of({{"a", 0.5}, {"b", 0.75}, {"c", 3661.125}}, {.pause = 1, .most = 60}, 3661.5);
  CHECK(srt_of(shown) == "1\n00:00:00,500 --> 00:00:01,250\nab\n\n2\n01:01:01,125 --> 01:01:01,500\nc\n\n");
  CHECK(subtitles_of({{"a", 0}, {"b", 0.1}, {"c", 0.2}}, {.pause = 1, .most = 2}, 1).size() == 2);
}
