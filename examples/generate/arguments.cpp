#include <generate/arguments.hpp>

#include <program/text.hpp>

#include <fovea/base/error.hpp>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace generate_program {

void declare(CLI::App& app, arguments& a) {
  const CLI::Range share(0.0, 1.0);
  app.add_option("PROMPT", a.prompts, "What the texts begin with; without any, one text begins from nothing");
  app.add_option("--prompts", a.prompt_file, "A file of more prompts, one a line; -: the standard input");
  app.add_option("--weights", a.weights, "safetensors, GGUF, or what else fovea::load_weights opens");
  app.add_option("--tokenizer", a.tokenizer,
                 "tokenizer.json, a SentencePiece model, GGUF, or llama2.c's .bin; may be left out where the "
                 "weights are "
                 "a .gguf file with a vocabulary");
  app.add_option("--tokens", a.tokens, "The most tokens generated for a text")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--temperature", a.how.temperature, "0: always the most likely token")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--top-k", a.how.top_k, "Only the k most likely tokens; 0: all")->capture_default_str();
  app.add_option("--top-p", a.how.top_p, "Only the most likely tokens that sum to p")
      ->capture_default_str()
      ->check(share);
  app.add_option("--min-p", a.how.min_p, "Only tokens at least p times as likely as the likeliest")
      ->capture_default_str()
      ->check(share);
  app.add_option("--repetition-penalty", a.how.repetition_penalty,
                 "Scores of tokens that the text holds are divided by it; 1: off")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1000.0));
  app.add_option("--seed", a.how.seed, "The same seed writes the same text")->capture_default_str();
  app.add_option("--stop", a.stops, "Ends a text before this string; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--threads", a.threads, "0: one for each core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
}

arguments completed(arguments a, const std::filesystem::path& learned) {
  if (a.weights.empty()) {
    if (learned.empty()) throw fovea::error("--weights is required: nothing that this model learned is kept");
    a.weights = learned / "weights.safetensors";
    if (a.tokenizer.empty()) a.tokenizer = learned / "tokenizer.json";
  }
  if (a.tokenizer.empty()) {
    if (a.weights.extension() != ".gguf")
      throw fovea::error("--tokenizer is required where the weights are no .gguf file");
    a.tokenizer = a.weights;
  }
  for (const std::string& stop : a.stops)
    if (stop.empty()) throw fovea::error("--stop: expected a string that is not empty");
  if (!a.prompt_file.empty())
    for (const std::string& line : program::lines_of(a.prompt_file))
      if (!line.empty()) a.prompts.push_back(line);
  if (a.prompts.empty()) {
    if (!a.prompt_file.empty()) throw fovea::error(a.prompt_file + ": expected prompts, one a line");
    a.prompts.emplace_back();
  }
  return a;
}

} // namespace generate_program
