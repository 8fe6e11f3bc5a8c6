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
#include <deque>
#include <fstream>
#include <numbers>
#include <sstream>

using namespace fovea;
using namespace fovea::programs;
using fovea::core::test::golden_case;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

constexpr int frames = tiny_whisper::sizes.frames, mels = tiny_whisper::sizes.mels, vocab = tiny_whisper::sizes.vocab;

// Tokens 0 to 63 are letters; those behind them stand in the order of the published models.
constexpr token_id end_of_text = 64, start_of_text = 65, english = 66, translate_task = 69, transcribe_task = 70,
                   previous_text = 72, no_speech_token = 73, no_times_token = 74, first_time = 75;
const std::vector<std::string> special{
    "<|endoftext|>", "<|startoftranscript|>", "<|en|>",         "<|de|>",       "<|haw|>",         "<|translate|>",
    "<|transcribe|>", "<|startoflm|>",        "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"};

std::string letter(token_id id) {
  const std::string all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.";
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
    const core::safetensors_file file(std::filesystem::path(FOVEA_GOLDEN_DIR) / "today/whisper.safetensors");
    std::map<std::string, core::stored_tensor> tensors;
    for (const auto& [name, tensor] : file.tensors())
      if (name.starts_with("param.")) tensors.emplace(name.substr(6), tensor);
    save_safetensors(folder / "model.safetensors", tensors);
    folder.write("tokenizer.json", tokenizer_json().dump());
    folder.write("generation_config.json", generation_json().dump());
  }
  std::string sound(const char* name, const std::vector<float>& samples, int channels = 1, int rate = 16000) const {
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
  auto net = compile(whole_sound, model_weights::from({}), {.capacity = {{"T", static_cast<std::int64_t>(samples.size())}}});
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
      : net_(compile(tiny_whisper::speech, load_weights(from.path), {.capacity = {{"B", 1}, {"T", 64}}})) {}

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
    return static_cast<token_id>(std::max_element(scores.begin() + english, scores.begin() + english + 3) - scores.begin());
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
    whisper_rules rules{.prompt = prompt.size(),
                        .suppressed = {5, 6, start_of_text, translate_task, transcribe_task, previous_text, no_speech_token},
                        .suppressed_first = {0, end_of_text}};
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
      token_ids part(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.begin() + static_cast<std::ptrdiff_t>(last));
      const bool says = std::ranges::any_of(part, [](token_id id) { return id > 0 && id < end_of_text; });
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
const std::vector<std::string> plainly{"--beam",           "1",    "--least-log-probability", "-1000",
                                       "--most-compression", "1000", "--most-no-speech",        "1"};
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
  check_same(c.texts(with({wav}, plainly)), plain.write(samples, {start_of_text, heard, transcribe_task}, true, true));
}
