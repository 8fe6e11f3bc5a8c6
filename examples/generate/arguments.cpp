#include <generate/arguments.hpp>

#include <fovea/runtime/error.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <fstream>

namespace generate_program {
namespace {

/// The lines that hold something.
std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  if (!file.eof() || lines.empty()) throw fovea::error(path.string() + ": expected prompts, one a line");
  return lines;
}

} // namespace

std::optional<arguments> parse(const configuration& c, int count, const char* const* words) {
  arguments a;
  std::filesystem::path file;
  CLI::App app("Goes on with texts as " + c.name + " does, and prints each token as it comes.",
               "generate_" + c.name);
  app.add_option("PROMPT", a.prompts, "What the texts begin with; without any, one text begins from nothing");
  app.add_option("--prompts", file, "A file of more prompts, one a line");
  app.add_option("--weights", a.weights, "safetensors, GGUF, or what else fovea::load_weights opens")
      ->required();
  app.add_option("--tokenizer", a.tokenizer,
                 "tokenizer.json, a SentencePiece model, GGUF, or llama2.c's .bin; left out: the weights' "
                 "own, of a GGUF file");
  app.add_option("--tokens", a.tokens, "The most tokens generated for a text")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--temperature", a.how.temperature, "0: always the most likely token")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--top-k", a.how.top_k, "Only the k most likely tokens; 0: all")->capture_default_str();
  app.add_option("--top-p", a.how.top_p, "Only the most likely tokens that sum to p")->capture_default_str();
  app.add_option("--min-p", a.how.min_p, "Only tokens at least p times as likely as the likeliest")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--repetition-penalty", a.how.repetition_penalty,
                 "Scores of tokens that the text holds are divided by it; 1: off")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", a.how.seed, "The same seed writes the same text")->capture_default_str();
  app.add_option("--stop", a.stops, "Ends a text before this string; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--threads", a.threads, "0: one for each core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() != 0)
      throw fovea::error(fmt::format("{} (--help lists the options)", problem.what()));
    app.exit(problem);
    return std::nullopt;
  }
  if (a.tokenizer.empty()) {
    if (a.weights.extension() != ".gguf")
      throw fovea::error("--tokenizer is required where the weights are no .gguf file, which holds its own");
    a.tokenizer = a.weights;
  }
  for (const std::string& stop : a.stops)
    if (stop.empty()) throw fovea::error("--stop: expected a string that is not empty");
  if (!file.empty())
    for (const std::string& line : lines_of(file)) a.prompts.push_back(line);
  if (a.prompts.empty()) a.prompts.emplace_back();
  return a;
}

} // namespace generate_program
