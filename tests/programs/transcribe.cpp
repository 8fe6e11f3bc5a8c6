// A program that writes what is said, on the weights of a Whisper of the transformers library: beside the same algorithm
// written here plainly, over the whole model and the whole sound at each step.

#include "../examples/program_run.hpp"
#include "../golden_case.hpp"
#include "../message_of.hpp"
#include "tiny_whisper.hpp"

#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>
#include <fovea/programs/transcribe/recording.hpp>
#include <fovea/programs/transcribe/subtitles.hpp>
#include <fovea/programs/transcribe/transcriber.hpp>
#include <fovea/programs/transcribe/trimmed.hpp>
#include <fovea/tokenizers.hpp>

#include <audio/sound_file.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

using namespace fovea;
using namespace fovea::programs;
using Catch::Matchers::Contains;
using fovea::core::test::golden_case;
using nlohmann::json;

namespace {

constexpr int frames = tiny_whisper::sizes.frames, mels = tiny_whisper::sizes.mels,
              vocab = tiny_whisper::sizes.vocab;

// Tokens 0 to 62 are letters, and 63 is empty, as one of the published models is. The order is theirs.
constexpr token_id end_of_text = 64, start_of_text = 65, english = 66, translate_task = 69,
                   transcribe_task = 70, previous_text = 72, no_speech_token = 73, no_times_token = 74,
                   first_time = 75;
const std::vector<std::string> special{
    "<|endoftext|>",   "<|startoftranscript|>", "<|en|>",          "<|de|>",
    "<|haw|>",         "<|translate|>",         "<|transcribe|>",  "<|startoflm|>",
    "<|startofprev|>", "<|nospeech|>",          "<|notimestamps|>"};

std::string letter(token_id id) {
  const std::string all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  if (id == 63) return "";
  return id == 0 ? "\u0120" : std::string(1, all[static_cast<std::size_t>(id) - 1]); // the first is a space
}

json tokenizer_json() {
  json vocabulary, added = json::array();
  for (token_id id = 0; id < end_of_text; ++id) vocabulary[letter(id)] = id;
  for (std::size_t i = 0; i < special.size(); ++i)
    added.push_back({{"id", end_of_text + static_cast<token_id>(i)},
                     {"content", special[i]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  const json byte_level{
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  return {{"version", "1.0"},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", byte_level},
          {"post_processor", nullptr},
          {"decoder", byte_level},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}}};
}

json generation_json() {
  return {{"decoder_start_token_id", start_of_text},
          {"eos_token_id", end_of_text},
          {"no_timestamps_token_id", no_times_token},
          {"is_multilingual", true},
          {"max_initial_timestamp_index", 10},
          {"max_length", 24},
          {"suppress_tokens", {5, 6}},
          {"begin_suppress_tokens", {0, end_of_text}}};
}

/// The golden weights as a checkpoint lies there, and sounds.
struct checkpoint {
  temporary_folder folder;
  std::string path = folder.path().string();

  checkpoint() {
    const core::safetensors_file file(std::filesystem::path(fovea::core::test::golden_folder) /
                                      "today/whisper.safetensors");
    std::map<std::string, core::stored_tensor> tensors;
    for (const auto& [name, tensor] : file.tensors())
      if (name.starts_with("param.")) tensors.emplace(name.substr(6), tensor);
    save_safetensors(folder / "model.safetensors", tensors);
    folder.write("tokenizer.json", tokenizer_json().dump());
    folder.write("generation_config.json", generation_json().dump());
  }
  std::string sound(const char* name, const std::vector<float>& samples, int channels = 1,
                    int rate = 16000) const {
    audio::write_wav(folder / name, samples, channels, rate);
    return (folder / name).string();
  }
  program_run run(std::vector<std::string> more) const {
    more.insert(more.begin(), {FOVEA_TINY_TRANSCRIBE, "--weights", path});
    return run_program(folder, more);
  }
  std::vector<json> texts(std::vector<std::string> more) const {
    more.emplace_back("--json");
    const program_run done = run(std::move(more));
    INFO(done.said);
    REQUIRE(done.status == 0);
    std::vector<json> lines;
    std::istringstream in(done.said);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("{")) lines.push_back(json::parse(line));
    return lines;
  }
};

/// A sound that changes all the time.
std::vector<float> tones(double seconds, int rate = 16000) {
  std::vector<float> made(static_cast<std::size_t>(seconds * rate));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double t = static_cast<double>(i) / rate, loud = 0.3 + 0.2 * std::sin(3 * t);
    made[i] = static_cast<float>(loud * std::sin(2 * std::numbers::pi * (300 * t + 200 * t * t)) +
                                 0.1 * std::sin(2 * std::numbers::pi * 1700 * t * t));
  }
  return made;
}

// The plain algorithm

constexpr auto whole_sound = model("whole_sound", [](graph& g) {
  g.output("features", log_mel(g.input<f32>("samples", {"T"}), {.mels = mels}));
});

/// Features [frames of the sound, mels], of the whole sound with silence behind it.
xt::xtensor<float, 2> features_of(std::vector<float> samples) {
  const std::size_t count = samples.size() / 160;
  samples.resize(samples.size() + 480000);
  auto net = compile(whole_sound, model_weights::from({}),
                     {.capacity = {{"T", static_cast<std::int64_t>(samples.size())}}});
  const xt::xtensor<float, 1> given = xt::adapt(samples, std::array{samples.size()});
  const xt::xtensor<float, 2> all = net("samples"_in = given)["features"_out];
  return xt::view(all, xt::range(std::size_t{0}, count), xt::all());
}

struct plain_text {
  int begin, end; // in hundredths
  token_ids ids;
};

class plain_whisper {
public:
  explicit plain_whisper(const checkpoint& from)
      : net_(compile(tiny_whisper::speech, load_weights(from.path),
                     {.capacity = {{"B", 1}, {"T", tiny_whisper::sizes.context}}})) {}

  std::vector<plain_text> write(const std::vector<float>& samples, const token_ids& beginning, bool times,
                                bool goes_on) {
    const xt::xtensor<float, 2> all = features_of(samples);
    const int count = static_cast<int>(all.shape()[0]);
    std::vector<plain_text> texts;
    token_ids before;
    for (int at = 0; at < count;) {
      const int here = std::min(frames, count - at);
      xt::xtensor<float, 3> window = xt::zeros<float>({1, frames, mels});
      for (int f = 0; f < here; ++f)
        for (int m = 0; m < mels; ++m) window(0, f, m) = all(at + f, m);
      token_ids prompt;
      if (!before.empty()) {
        prompt.push_back(previous_text);
        prompt.insert(prompt.end(), before.size() > 11 ? before.end() - 11 : before.begin(), before.end());
      }
      prompt.insert(prompt.end(), beginning.begin(), beginning.end());
      const token_ids ids = greedy_ids(window, prompt, times);
      const std::size_t had = texts.size();
      at += cut(ids, at, here, texts);
      for (std::size_t i = had; i < texts.size(); ++i)
        if (goes_on) before.insert(before.end(), texts[i].ids.begin(), texts[i].ids.end());
    }
    return texts;
  }

  token_id likeliest_language(const std::vector<float>& samples) {
    const xt::xtensor<float, 2> all = features_of(samples);
    xt::xtensor<float, 3> window = xt::zeros<float>({1, frames, mels});
    for (int f = 0; f < std::min(frames, static_cast<int>(all.shape()[0])); ++f)
      for (int m = 0; m < mels; ++m) window(0, f, m) = all(f, m);
    const std::vector<float> scores = scores_of(window, {start_of_text});
    return static_cast<token_id>(std::max_element(scores.begin() + english, scores.begin() + english + 3) -
                                 scores.begin());
  }

private:
  std::vector<float> scores_of(const xt::xtensor<float, 3>& window, const token_ids& ids) {
    const xt::xtensor<int, 2> given = xt::adapt(ids, std::array<std::size_t, 2>{1, ids.size()});
    const auto out = net_("features"_in = window, "decoder_ids"_in = given);
    const auto logits = out["logits"_out];
    std::vector<float> scores(vocab);
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = logits(0, ids.size() - 1, k);
    return scores;
  }
  token_ids greedy_ids(const xt::xtensor<float, 3>& window, const token_ids& prompt, bool times) {
    whisper_rules rules{
        .prompt = prompt.size(),
        .suppressed = {5, 6, start_of_text, translate_task, transcribe_task, previous_text, no_speech_token},
        .suppressed_first = {0, end_of_text}};
    for (token_id id = no_times_token; !times && id < vocab; ++id) rules.suppressed.push_back(id);
    if (times) rules.times = whisper_times{.none = no_times_token, .end = end_of_text, .most_first = 10};
    const std::size_t most = std::min<std::size_t>(12, 25 - prompt.size());
    token_ids read = prompt;
    while (read.size() < prompt.size() + most) {
      std::vector<float> scores = scores_of(window, read);
      rules(read, scores);
      const auto id = static_cast<token_id>(std::ranges::max_element(scores) - scores.begin());
      if (id == end_of_text) break;
      read.push_back(id);
    }
    return {read.begin() + static_cast<std::ptrdiff_t>(prompt.size()), read.end()};
  }
  /// By how many frames the next window begins later.
  static int cut(const token_ids& ids, int at, int here, std::vector<plain_text>& texts) {
    const auto time_at = [&](std::size_t i) { return ids[i] >= first_time ? 2 * (ids[i] - first_time) : -1; };
    const auto add = [&](int begin, int end, std::size_t first, std::size_t last) {
      token_ids part(ids.begin() + static_cast<std::ptrdiff_t>(first),
                     ids.begin() + static_cast<std::ptrdiff_t>(last));
      const bool says = std::ranges::any_of(part, [](token_id id) { return id > 0 && id < 63; });
      if (begin != end && says) texts.push_back({at + begin, at + end, std::move(part)});
    };
    std::size_t first = 0;
    for (std::size_t i = 1; i < ids.size(); ++i)
      if (time_at(i - 1) >= 0 && time_at(i) >= 0) add(time_at(first), time_at(i - 1), first, i), first = i;
    const std::size_t last = ids.size() - 1;
    const bool ends_in_time = ids.size() > 1 && time_at(last) >= 0 && time_at(last - 1) < 0;
    if (first > 0 && ends_in_time) return add(time_at(first), time_at(last), first, ids.size()), here;
    if (first > 0) return time_at(first - 1);
    int end = here;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (time_at(i) > 0) end = time_at(i);
    return add(0, end, 0, ids.size()), here;
  }

  decltype(compile(tiny_whisper::speech, model_weights::from({}), {})) net_;
};

void check_same(const std::vector<json>& found, const std::vector<plain_text>& right) {
  REQUIRE(found.size() == right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    INFO("text " << i);
    CHECK(found[i]["tokens"].get<token_ids>() == right[i].ids);
    CHECK(found[i]["start"].get<double>() == Approx(right[i].begin / 100.0));
    CHECK(found[i]["end"].get<double>() == Approx(right[i].end / 100.0));
    std::string text;
    for (const token_id id : right[i].ids)
      if (id < end_of_text) text += id == 0 ? " " : letter(id);
    CHECK(found[i]["text"] == trimmed(text));
  }
}

/// The likeliest tokens, whatever they are.
const std::vector<std::string> plainly{
    "--beam", "1", "--least-log-probability", "-1000", "--most-compression", "1000", "--most-no-speech", "1"};
std::vector<std::string> with(std::vector<std::string> some, const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

} // namespace

TEST_CASE("a program writes what the whole model writes of the whole sound", "[transcribe]") {
  const checkpoint c;
  plain_whisper plain(c);
  const std::vector<float> samples = tones(1.234);
  const std::string wav = c.sound("sound.wav", samples);
  const token_ids in_english{start_of_text, english, transcribe_task};
  check_same(c.texts(with({wav, "--language", "en"}, plainly)), plain.write(samples, in_english, true, true));
  check_same(c.texts(with({wav, "--language", "en", "--no-context"}, plainly)),
             plain.write(samples, in_english, true, false));
  check_same(c.texts(with({wav, "--language", "de", "--task", "translate"}, plainly)),
             plain.write(samples, {start_of_text, english + 1, translate_task}, true, true));
  check_same(c.texts(with({wav, "--language", "en", "--no-times"}, plainly)),
             plain.write(samples, {start_of_text, english, transcribe_task, no_times_token}, false, true));
  const token_id heard = plain.likeliest_language(samples);
  check_same(c.texts(with({wav}, plainly)),
             plain.write(samples, {start_of_text, heard, transcribe_task}, true, true));
}

// Windows, by a network whose texts are told here

namespace {

/// A text that a network would write of a window, and by how much its tokens score more than any other.
struct told_text {
  token_ids ids;
  float score = 20;
};
/// What it would write at one attempt after another, and how probable it is that nobody speaks.
struct told_window {
  std::vector<told_text> attempts;
  double no_speech = 0.01;
};

class told_network final : public speech_network {
public:
  explicit told_network(std::vector<told_window> all) : windows_(std::move(all)) {}

  void hear(std::span<const float> features) override {
    heard.emplace_back(features.begin(), features.end());
    attempt_ = 0;
  }
  void begin(std::size_t) override {
    prompts.emplace_back();
    ++attempt_;
    written_.assign(1, 0);
    reads_prompt_ = true;
  }
  token_scores step(std::span<const token_id> ids) override {
    const told_window& now = windows_.at(heard.size() - 1);
    const told_text& text = now.attempts.at(std::min(attempt_, now.attempts.size()) - 1);
    if (reads_prompt_) prompts.back().insert(prompts.back().end(), ids.begin(), ids.end());
    scores_.assign(written_.size() * vocab, 0.0f);
    for (std::size_t row = 0; row < written_.size(); ++row) {
      const std::size_t at = reads_prompt_ ? 0 : ++written_[row];
      const token_id next = at < text.ids.size() ? text.ids[at] : end_of_text;
      scores_[row * vocab + static_cast<std::size_t>(next)] = text.score;
    }
    if (ids.back() == start_of_text) {
      std::ranges::fill(scores_, 0.0f);
      scores_[no_speech_token] =
          static_cast<float>(std::log(now.no_speech / (1 - now.no_speech) * (vocab - 1)));
    }
    reads_prompt_ = reads_prompt_ && ids.back() == start_of_text;
    return {scores_.data(), written_.size(), 1, vocab};
  }
  void reorder(std::span<const std::size_t> from) override { core::reorder_rows(written_, from); }
  std::size_t most_rows() const override { return 5; }

  std::vector<std::vector<float>> heard;
  std::vector<token_ids> prompts; // of each attempt

private:
  std::vector<told_window> windows_;
  std::size_t attempt_ = 0;
  std::vector<std::size_t> written_; // by each row
  bool reads_prompt_ = false;
  std::vector<float> scores_;
};

/// Frames whose one mel is a hundredth of their number.
class numbered_hearing final : public speech_hearing {
public:
  std::span<const float> logs_of(std::span<const float> samples) override {
    logs_.resize((samples.size() - size) / hop + 1);
    for (float& x : logs_) x = static_cast<float>(count_++) / 100;
    return logs_;
  }

private:
  std::vector<float> logs_;
  int count_ = 0;
};

constexpr token_id at(int hundredths) { return first_time + hundredths / 2; }

/// What is written of a sound of so many seconds.
struct told {
  told_network network;
  whisper_tokens tokens{.end = end_of_text,
                        .start = start_of_text,
                        .translate = translate_task,
                        .transcribe = transcribe_task,
                        .before = previous_text,
                        .silence = no_speech_token,
                        .no_times = no_times_token,
                        .languages = {{"en", english}},
                        .suppressed = {},
                        .suppressed_first = {},
                        .most_first = 50,
                        .context = 24};
  std::vector<spoken_text> texts;
  std::vector<std::size_t> positions;

  told(double seconds, std::vector<told_window> windows, const writing_options& how = {}, bool goes_on = true)
      : network(std::move(windows)) {
    const temporary_folder folder;
    audio::write_wav(folder / "sound.wav", std::vector<float>(static_cast<std::size_t>(seconds * 16000)), 1,
                     16000);
    recording from((folder / "sound.wav").string());
    numbered_hearing hearing;
    const heard_sound sound(from, hearing, [] {});
    window_writer writer(network, {frames, 1, vocab}, parse_tokenizer(tokenizer_json().dump()), tokens, how);
    transcriber spoken(sound, writer, tokens, tokens.beginning("en", false, how.times), goes_on);
    while (!spoken.is_at_end()) {
      for (spoken_text& one : spoken.next()) texts.push_back(std::move(one));
      positions.push_back(spoken.position());
    }
  }
  std::string all() const {
    std::string made;
    for (const spoken_text& one : texts)
      made += std::to_string(one.begin) + "-" + std::to_string(one.end) + " " + one.text + "\n";
    return made;
  }
};

constexpr token_id a = 1, b = 2, c = 3;
const token_ids begins{start_of_text, english, transcribe_task};

token_ids behind(token_ids before) {
  before.insert(before.begin(), previous_text);
  before.insert(before.end(), begins.begin(), begins.end());
  return before;
}

} // namespace

TEST_CASE("a window begins where the text of the one before has ended", "[transcribe]") {
  // Two texts, and the beginning of a third; two texts, behind which nobody speaks; a text without an end.
  const told t(1.0, {{{{{at(0), a, at(10), at(12), b, at(20), at(20), c}}}},
                     {{{{at(4), a, b, at(14), at(14), c, at(24)}}}},
                     {{{{at(2), b, c}}}}});
  CHECK(t.all() == "0-10 a\n12-20 b\n24-34 ab\n34-44 c\n60-62 bc\n");
  CHECK(t.positions == std::vector<std::size_t>{20, 60, 100});
  REQUIRE(t.network.prompts.size() == 3);
  CHECK(t.network.prompts[0] == begins);
  CHECK(t.network.prompts[1] == behind({at(0), a, at(10), at(12), b, at(20)}));
  // As many tokens as there is room for.
  CHECK(t.network.prompts[2] == behind({at(10), at(12), b, at(20), at(4), a, b, at(14), at(14), c, at(24)}));
  // The windows are those of the sound, and zeros behind its end.
  const auto number_of = [&](std::size_t window, std::size_t frame) {
    return std::lround((t.network.heard[window][frame] - t.network.heard[0][0]) * 400);
  };
  CHECK(number_of(0, 39) == 39);
  CHECK(number_of(1, 0) == 20);
  CHECK(number_of(2, 39) == 99);
}

TEST_CASE("behind a sound's end a window has zeros, and texts of other windows it may do without",
          "[transcribe]") {
  const told t(0.6, {{{{{at(0), a, at(40)}}}}, {{{{at(0), b, at(20)}}}}}, {}, false);
  CHECK(t.all() == "0-40 a\n40-60 b\n");
  REQUIRE(t.network.prompts.size() == 2);
  CHECK(t.network.prompts[1] == begins);
  CHECK(t.network.heard[1][19] != 0);
  CHECK(t.network.heard[1][20] == 0);
}

TEST_CASE("a text that is improbable or repeats itself is written again at a higher temperature",
          "[transcribe]") {
  const told_text good{{at(0), a, b, at(40)}, 40}, improbable{{at(0), c, c, at(40)}, 3.2f};
  const told once(0.4, {{{good}}});
  CHECK(once.texts.at(0).of.temperature == 0);
  CHECK(once.texts.at(0).of.log_probability > -0.01);
  CHECK(once.texts.at(0).of.no_speech == Approx(0.01));

  const writing_options strict{.least_log_probability = -0.5};
  const told again(0.4, {{{improbable, good}}}, strict);
  CHECK(again.all() == "0-40 ab\n");
  CHECK(again.texts.at(0).of.temperature == 0.2);
  CHECK(again.network.heard.size() == 1); // of one window the encoder is asked once
  CHECK(again.network.prompts.size() == 2);

  const told_text repeats{{at(0), a, a, a, a, a, a, a, a, at(40)}, 40};
  const told shortened(0.4, {{{repeats, good}}}, {.most_compression = 0.7});
  CHECK(shortened.all() == "0-40 ab\n");
  CHECK(shortened.texts.at(0).of.compression < 0.7);

  // Nothing relies on a text of a high temperature.
  const told wild(0.8, {{{improbable, improbable, improbable, good}}, {{good}}},
                  {.beam = 1, .best_of = 1, .least_log_probability = -0.5});
  CHECK(wild.texts.at(0).of.temperature == Approx(0.6));
  CHECK(wild.network.prompts.back() == begins);
}

TEST_CASE("a window is silent where that is probable and its text is not", "[transcribe]") {
  const told_text good{{at(0), a, at(40)}, 40}, improbable{{at(0), c, at(40)}, 3.2f};
  const told t(1.2, {{{good}}, {{improbable}, 0.9}, {{good}, 0.9}}, {.least_log_probability = -0.5});
  CHECK(t.all() == "0-40 a\n80-120 a\n");
  CHECK(t.network.prompts.size() == 3); // silence is not tried again
  CHECK(t.network.prompts[2] == behind({at(0), a, at(40)}));
}

TEST_CASE("without times a window is one text", "[transcribe]") {
  const told t(0.5, {{{{{a, b}}}}, {{{{c}}}}}, {.times = false});
  CHECK(t.all() == "0-40 ab\n40-50 c\n");
  CHECK(t.network.prompts[0] == token_ids{start_of_text, english, transcribe_task, no_times_token});
}

TEST_CASE("sound of any rate and any channels is heard alike", "[transcribe]") {
  const temporary_folder folder;
  const auto read = [&](int rate, int channels) {
    std::vector<float> all; // of channels whose mean is the sound
    for (const float x : tones(0.5, rate))
      for (int k = 0; k < channels; ++k)
        all.push_back(channels == 1 || k == 2 ? x : k == 0 ? 1.5f * x : 0.5f * x);
    audio::write_wav(folder / "s.wav", all, channels, rate);
    recording from((folder / "s.wav").string());
    std::vector<float> made;
    for (std::vector<float> part = from.next(); !part.empty(); part = from.next())
      made.insert(made.end(), part.begin(), part.end());
    CHECK(from.seconds() == Approx(0.5));
    CHECK(from.seconds_read() == Approx(0.5));
    return made;
  };
  const std::vector<float> right = tones(0.5);
  for (const int rate : {8000, 16000, 44100, 48000, 96000})
    for (const int channels : {1, 2, 3}) {
      CAPTURE(rate, channels);
      const std::vector<float> found = read(rate, channels);
      CHECK(std::abs(static_cast<double>(found.size()) - 8000) <= 2);
      double most = 0;
      for (std::size_t i = 200; i < 7800 && rate != 8000; ++i)
        most = std::max(most, static_cast<double>(std::abs(found.at(i) - right[i])));
      CHECK(most < (rate == 16000 ? 1e-6 : 2e-3));
    }
}

TEST_CASE("texts of a program have their times, in lines and in files of subtitles", "[transcribe]") {
  const checkpoint from;
  const std::string wav = from.sound("sound.wav", tones(1.234)), srt = (from.folder / "s.srt").string(),
                    vtt = (from.folder / "s.vtt").string();
  const std::vector<json> texts =
      from.texts(with({wav, "--language", "en", "--srt", srt, "--vtt", vtt}, plainly));
  REQUIRE(texts.size() >= 2);
  const auto clock = [](const json& seconds, char mark) {
    std::string made = "00:00:0" + std::to_string(static_cast<int>(seconds.get<double>())) + mark;
    const long thousandths = std::lround(seconds.get<double>() * 1000) % 1000;
    return made +
           std::string(thousandths < 10    ? "00"
                       : thousandths < 100 ? "0"
                                           : "") +
           std::to_string(thousandths);
  };
  std::string lines, timed, of_srt, of_vtt = "WEBVTT\n\n";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i]["text"],
                      span_of[] = {clock(texts[i]["start"], ',') + " --> " + clock(texts[i]["end"], ','),
                                   clock(texts[i]["start"], '.') + " --> " + clock(texts[i]["end"], '.')};
    lines += text + "\n";
    timed += "[" + span_of[1] + "] " + text + "\n";
    of_srt += std::to_string(i + 1) + "\n" + span_of[0] + "\n" + text + "\n\n";
    of_vtt += span_of[1] + "\n" + text + "\n\n";
  }
  CHECK(content(from.folder / "s.srt") == of_srt);
  CHECK(content(from.folder / "s.vtt") == of_vtt);
  CHECK_THAT(from.run(with({wav, "--language", "en"}, plainly)).said, Catch::StartsWith(lines));
  CHECK_THAT(from.run(with({wav, "--language", "en", "--timestamps"}, plainly)).said,
             Catch::StartsWith(timed));
  CHECK(clock_of(360000 + 2 * 6000 + 304, ',') == "01:02:03,040");
}

TEST_CASE("the search follows several texts, and what is drawn is the same by the same seed",
          "[transcribe]") {
  const checkpoint from;
  const std::string wav = from.sound("sound.wav", tones(0.9));
  const auto mean_of = [&](const std::vector<json>& texts) {
    return texts.at(0)["log_probability"].get<double>();
  };
  const std::vector<json> likeliest = from.texts(with({wav, "--language", "en"}, plainly)),
                          searched =
                              from.texts({wav, "--language", "en", "--beam", "5", "--least-log-probability",
                                          "-1000", "--most-compression", "1000", "--most-no-speech", "1"});
  CHECK(mean_of(searched) >= mean_of(likeliest));
  const std::vector<std::string> drawn{wav, "--language",       "en", "--temperature",
                                       "1", "--most-no-speech", "1"};
  const std::vector<json> once = from.texts(drawn);
  CHECK(once.at(0)["temperature"] == 1.0);
  CHECK(from.texts(drawn) == once);
  CHECK(from.texts(with(drawn, {"--seed", "7"})) != once);
}

TEST_CASE("sound that is none is refused in one sentence", "[transcribe]") {
  const checkpoint from;
  const auto refused = [&](const std::string& file, const std::string& why) {
    const program_run run = from.run({file});
    CHECK(run.status == 2);
    CHECK(run.is_one_line());
    CHECK_THAT(run.said, Contains(why));
  };
  refused((from.folder / "none.wav").string(), "none.wav");
  refused(from.folder.write("text.wav", "this is no sound, whatever its name is").string(),
          "text.wav: cannot be read as sound: ");
  refused(from.sound("empty.wav", {}), "empty.wav: holds no samples");
  refused(from.sound("nan.wav", {0, 0.5f, std::nanf(""), 0}),
          "nan.wav: expected samples that are numbers, found nan after 0.000 s");
  refused(from.sound("fast.wav", std::vector<float>(100), 1, 5000000),
          "fast.wav: expected sound of 63 to 4096000 Hz, found 5000000 Hz");
  std::string header = content(from.sound("rate.wav", std::vector<float>(100)));
  const std::size_t format = header.find("fmt ");
  REQUIRE(format != header.npos);
  header.replace(format + 12, 4, std::string(4, '\0'));
  const program_run run = from.run({from.folder.write("rate.wav", header).string()});
  CHECK(run.status == 2);
  CHECK(run.is_one_line());
  CHECK_THAT(run.said, Contains("rate.wav: "));
}

TEST_CASE("files that are not a Whisper's are refused in one sentence", "[transcribe]") {
  const checkpoint from;
  const std::string wav = from.sound("sound.wav", tones(0.3));
  const auto refused = [&](std::vector<std::string> more, const std::string& why) {
    more.insert(more.begin(), wav);
    const program_run run = from.run(more);
    INFO(run.said);
    CHECK(run.status == 2);
    CHECK(run.is_one_line());
    CHECK_THAT(run.said, Contains(why));
  };
  const auto tokenizer_with = [&](const char* name, const std::string& old, const std::string& other) {
    std::string text = tokenizer_json().dump();
    text.replace(text.find(old), old.size(), other);
    return std::vector<std::string>{"--tokenizer", from.folder.write(name, text).string()};
  };
  const auto config_with = [&](const char* key, const json& value) {
    json all = generation_json();
    all[key] = value;
    return std::vector<std::string>{"--generation-config", from.folder.write("g.json", all.dump()).string()};
  };
  refused(tokenizer_with("t.json", "<|startoftranscript|>", "<s>"),
          "t.json: expected a Whisper's tokenizer, with the token '<|startoftranscript|>'; there is none");
  refused(tokenizer_with("t.json", "<|en|>", "<|English|>"),
          "t.json: expected a Whisper's tokenizer, with languages behind the token");
  refused({"--tokenizer", FOVEA_TINY_WORDS}, "words.json: expected a Whisper's tokenizer");
  refused(config_with("decoder_start_token_id", 3),
          "g.json: decoder_start_token_id: expected 65, the token '<|startoftranscript|>' of the tokenizer; "
          "found 3");
  refused(config_with("suppress_tokens", {1, 96}),
          "g.json: suppress_tokens: expected tokens of 0 to 95; found 96");
  refused(config_with("suppress_tokens", 1), "g.json: suppress_tokens: expected a list of tokens; found 1");
  refused(config_with("max_length", 25), "max_length of generation_config.json: expected at most 24, the "
                                         "longest text that the model takes; found 25");
  refused(config_with("max_length", "many"), "g.json: max_length: expected a whole number");
  refused({"--generation-config", from.folder.write("g.json", "[]").string()},
          "g.json: expected an object of settings");
  refused({"--generation-config", from.folder.write("g.json", "{").string()}, "g.json: ");
  refused({"--language", "fr"}, "--language: expected one of en, de, haw; found fr");
  refused(with({"--language", "de"}, config_with("is_multilingual", false)),
          "--language: expected en, all that the model knows; found de");
  refused(with({"--task", "translate"}, config_with("is_multilingual", false)),
          "--task: expected transcribe, for the model knows but English; found translate");
  refused({"--srt", (from.folder / "none" / "s.srt").string()}, "s.srt: cannot be written");
  refused({"--temperature", "nan"}, "--temperature: expected a number from 0 to 1; found nan");
  const std::string kept = from.folder.write("kept.srt", "kept").string();
  refused({"--srt", kept, "--language", "fr"}, "--language: expected one of en, de, haw; found fr");
  CHECK(content(kept) == "kept");

  json moved = tokenizer_json();
  for (json& one : moved["added_tokens"]) one["id"] = one["id"].get<int>() + 1;
  refused({"--tokenizer", from.folder.write("t.json", moved.dump()).string(), "--generation-config",
           from.folder.write("g.json", "{}").string()},
          "t.json: expected the tokenizer of a model of 96 tokens; found the token '<|notimestamps|>' at 75, "
          "behind "
          "which there are 21 times");

  std::map<std::string, core::stored_tensor> tensors;
  const core::safetensors_file file(from.folder / "model.safetensors");
  for (const auto& [name, tensor] : file.tensors())
    if (name != "model.encoder.conv2.weight") tensors.emplace(name, tensor);
  save_safetensors(from.folder / "less.safetensors", tensors);
  const program_run less = run_program(
      from.folder, {FOVEA_TINY_TRANSCRIBE, wav, "--weights", (from.folder / "less.safetensors").string()});
  CHECK(less.status == 2);
  CHECK(less.is_one_line());
  CHECK_THAT(less.said, Contains("conv2.weight"));

  std::filesystem::remove(from.folder / "generation_config.json");
  refused({}, "generation_config.json");
}

TEST_CASE("a model of English alone is told no language", "[transcribe]") {
  const checkpoint from;
  const std::string wav = from.sound("sound.wav", tones(0.8));
  json all = generation_json();
  all["is_multilingual"] = false;
  const std::string config = from.folder.write("g.json", all.dump()).string();
  plain_whisper plain(from);
  check_same(from.texts(with({wav, "--generation-config", config}, plainly)),
             plain.write(tones(0.8), {start_of_text}, true, true));
}
