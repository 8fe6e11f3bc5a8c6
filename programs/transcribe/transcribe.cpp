#include <fovea/programs/transcribe.hpp>

#include "heard_sound.hpp"
#include "recording.hpp"
#include "subtitles.hpp"
#include "transcriber.hpp"
#include "whisper_tokens.hpp"
#include "window_writer.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/base/json/parse_json.hpp>
#include <fovea/base/system/terminal.hpp>
#include <fovea/programs/built.hpp>
#include <fovea/programs/options.hpp>

#include <program/program.hpp>
#include <terminal/terminal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>

namespace fovea::programs {
namespace {

struct arguments : options {
  std::string sound, language, task = "transcribe";
  std::filesystem::path generation_config, srt, vtt;
  writing_options how;
  double temperature = 0;
  bool timestamps = false, no_times = false, no_context = false;
};

void declare_files_of_model(CLI::App& app, arguments& a) {
  app.add_option("--tokenizer", a.tokenizer, "tokenizer.json; that beside the weights where none is named");
  app.add_option("--generation-config", a.generation_config,
                 "generation_config.json; that beside the weights where none is named");
}

void declare_output(CLI::App& app, arguments& a) {
  app.add_option("SOUND", a.sound,
                 "A recording: WAV, FLAC, Ogg and what else libsndfile reads; -: the standard input")
      ->required();
  app.add_option("--language", a.language, "Its code, as in en; the model finds it out where none is named");
  app.add_option("--task", a.task, "transcribe, or translate into English")
      ->capture_default_str()
      ->check(CLI::IsMember({"transcribe", "translate"}));
  app.add_flag("--timestamps", a.timestamps, "Print from when to when each text is spoken");
  app.add_flag("--json", a.json, "Print a line of JSON for each text");
  app.add_option("--srt", a.srt, "Write subtitles to this file, as SubRip has them");
  app.add_option("--vtt", a.vtt, "Write subtitles to this file, as WebVTT has them");
}

void declare_search(CLI::App& app, arguments& a) {
  const CLI::Range share(0.0, 1.0), rows(1, 64);
  app.add_option("--beam", a.how.beam,
                 "Texts that are followed at once at temperature 0; 1: the likeliest token")
      ->capture_default_str()
      ->check(rows);
  app.add_option("--best-of", a.how.best_of, "Texts that are drawn at a temperature above 0")
      ->capture_default_str()
      ->check(rows);
  app.add_option("--temperature", a.temperature,
                 "The first; a window whose text fails is written again at 0.2 more, up to 1")
      ->capture_default_str()
      ->check(share);
  app.add_option("--least-log-probability", a.how.least_log_probability,
                 "A text fails whose tokens have a mean below")
      ->capture_default_str();
  app.add_option("--most-compression", a.how.most_compression,
                 "A text fails that zlib makes shorter than that")
      ->capture_default_str();
  app.add_option("--most-no-speech", a.how.most_no_speech,
                 "A window is silent where that is more probable and the text fails by its probability")
      ->capture_default_str();
  app.add_flag("--no-times", a.no_times,
               "Write each window as one text, by a model that has not learned times");
  app.add_flag("--no-context", a.no_context, "Write each window without the text of the one before");
  app.add_option("--seed", a.how.seed, "The same seed draws the same text")->capture_default_str();
}

/// The folder of the weights where these are not part of the program.
std::filesystem::path folder_of(const arguments& a, const program_parts& parts) {
  const std::filesystem::path& weights = a.weights.empty() ? parts.weights.path : a.weights;
  return std::filesystem::is_directory(weights) ? weights : weights.parent_path();
}
/// The path that the command line names; else, where the program is built without such a file, that beside the weights.
std::filesystem::path file_of(const std::filesystem::path& named, const built_file& built, const char* beside,
                              const arguments& a, const program_parts& parts) {
  const bool is_built = !built.path.empty() && a.weights.empty();
  if (!named.empty() || is_built) return named;
  const std::filesystem::path found = folder_of(a, parts) / beside;
  return std::filesystem::exists(found) || built.path.empty() ? found : named;
}

whisper_tokens tokens_of(const arguments& a, const program_parts& parts, const tokenizer& words,
                         const std::filesystem::path& words_path, const speech_sizes& sizes) {
  const built_file& built = parts.generation_config;
  const std::filesystem::path path = file_of(a.generation_config, built, "generation_config.json", a, parts);
  const auto read = [&] {
    if (!path.empty() || built.bytes.empty()) return core::load_json(path.empty() ? built.path : path);
    return core::parse_json({reinterpret_cast<const char*>(built.bytes.data()), built.bytes.size()});
  };
  const core::json_document config = read();
  const auto source_of = [](const std::filesystem::path& named, const built_file& otherwise) {
    return (named.empty() ? otherwise.path : named).string();
  };
  return whisper_tokens_of({words, *config, source_of(words_path, parts.tokenizer), source_of(path, built)},
                           sizes);
}

std::unique_ptr<speech_network> network_of(const arguments& a, const speech_makers& makers,
                                           const model_weights& weights, std::size_t context) try {
  const std::size_t rows = std::max(a.how.beam, a.how.best_of);
  return makers.network(weights, {.capacity = {{"B", static_cast<std::int64_t>(rows)},
                                               {"T", static_cast<std::int64_t>(context)}},
                                  .threads = a.threads});
} catch (const core::capacity_error& problem) {
  throw error(
      fmt::format("max_length of generation_config.json: expected at most {}, the longest text that the "
                  "model takes; found {}",
                  problem.most(), context));
}

writing_options writing_of(const arguments& a) {
  if (std::isnan(a.temperature)) throw error("--temperature: expected a number from 0 to 1; found nan");
  writing_options how = a.how;
  how.times = !a.no_times;
  how.temperatures.clear();
  for (int step = 0; a.temperature + 0.2 * step < 1.0001; ++step)
    how.temperatures.push_back(std::min(1.0, a.temperature + 0.2 * step));
  return how;
}

/// Prints texts as they come, and writes them to files of subtitles.
class spoken_text_printer {
public:
  explicit spoken_text_printer(const arguments& a) : a_(a) {
    if (!a.srt.empty()) files_.emplace_back(a.srt, subtitle_file::form::srt);
    if (!a.vtt.empty()) files_.emplace_back(a.vtt, subtitle_file::form::vtt);
  }
  void print(const spoken_text& one) {
    for (subtitle_file& file : files_) file.add(one.begin, one.end, one.text);
    program::print(line_of(one) + "\n");
  }

private:
  std::string line_of(const spoken_text& one) const {
    if (a_.json) {
      const auto seconds = [](std::size_t frames) { return static_cast<double>(frames) / 100; };
      return nlohmann::ordered_json{{"start", seconds(one.begin)},
                                    {"end", seconds(one.end)},
                                    {"text", one.text},
                                    {"tokens", one.ids},
                                    {"log_probability", one.of.log_probability},
                                    {"no_speech", one.of.no_speech},
                                    {"compression", one.of.compression},
                                    {"temperature", one.of.temperature}}
          .dump();
    }
    std::string text = one.text;
    std::ranges::replace(text, '\n', ' ');
    return a_.timestamps ? fmt::format("[{} --> {}] {}", clock_of(one.begin), clock_of(one.end), text) : text;
  }

  const arguments& a_;
  std::vector<subtitle_file> files_;
};

heard_sound hear(recording& from, speech_hearing& hearing) {
  terminal::progress_bar bar("hearing", "s", static_cast<std::size_t>(from.seconds()));
  return {from, hearing, [&] { bar.show(static_cast<std::size_t>(from.seconds_read())); }};
}

struct spoken_language {
  std::string code;
  std::optional<double> probability; // of one that was heard
};

/// The language that is named, or that the model hears in the first window.
spoken_language language_of(const arguments& a, const whisper_tokens& tokens, const heard_sound& sound,
                            window_writer& writer) {
  if (!a.language.empty() || tokens.languages.empty()) return {a.language, std::nullopt};
  const auto found = writer.language_of(sound.window(0, writer.frames()));
  return {found.code, found.probability};
}

void write(const heard_sound& sound, transcriber& from, spoken_text_printer& to) {
  // Whoever sees the texts come needs no bar between them.
  std::optional<terminal::progress_bar> bar;
  if (!core::system::is_terminal(stdout)) bar.emplace("writing", "s", sound.frames() / 100);
  while (!from.is_at_end()) {
    for (const spoken_text& one : from.next()) to.print(one);
    if (bar) bar->show(from.position() / 100);
  }
}

void run(const arguments& a, const speech_makers& makers, const program_parts& parts) {
  const auto start = std::chrono::steady_clock::now();
  recording from(a.sound);
  options with_files = a;
  with_files.tokenizer = file_of(a.tokenizer, parts.tokenizer, "tokenizer.json", a, parts);
  const model_weights weights = weights_of(a, parts);
  const tokenizer words = tokenizer_of(with_files, parts);
  const whisper_tokens tokens = tokens_of(a, parts, words, with_files.tokenizer, makers.sizes);
  const std::unique_ptr<speech_network> network = network_of(a, makers, weights, tokens.context);
  window_writer writer(*network, makers.sizes, words, tokens, writing_of(a));
  for (const std::filesystem::path& path : {a.srt, a.vtt})
    if (!path.empty()) expect_writable(path); // before a long sound is heard

  const std::unique_ptr<speech_hearing> hearing = makers.hearing(a.threads);
  const heard_sound sound = hear(from, *hearing);
  const spoken_language language = language_of(a, tokens, sound, writer);
  transcriber spoken(sound, writer, tokens,
                     tokens.beginning(language.code, a.task == "translate", !a.no_times), !a.no_context);
  spoken_text_printer printer(a); // which replaces files of subtitles: all that may be refused has been
  if (language.probability)
    program::notice(parts.name, fmt::format("the language is {}, by {:.0f} %", language.code,
                                            *language.probability * 100));
  write(sound, spoken, printer);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  const double seconds = from.seconds_read();
  program::notice(parts.name, fmt::format("{:.2f} s of sound in {:.2f} s: {:.3f} of real time", seconds,
                                          taken.count(), taken.count() / seconds));
}

} // namespace

int transcribe(const speech_makers& make, const program_parts& parts, int count, char** words) {
  return program::run<arguments>(
      parts.name.c_str(), "Writes what is said in a recording.", count, words,
      [&](CLI::App& app, arguments& a) {
        declare_model(app, a, parts);
        declare_files_of_model(app, a);
        declare_output(app, a);
        declare_search(app, a);
      },
      [&](const arguments& a) { run(a, make, parts); });
}

} // namespace fovea::programs
