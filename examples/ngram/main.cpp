// Counts the n-grams of a text, says how well they predict another, and writes texts like it.

#include "text_units.hpp"

#include "program/program.hpp"

#include <fovea/base/error.hpp>
#include <fovea/runtime/decoding/generate.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>
#include <fovea/runtime/ngram/reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace ngram_program;
using fovea::token_ids;

struct arguments {
  fs::path train, test;
  int order = 3;
  std::string smoothing = "kneser_ney", prompt;
  bool characters = false;
  double k = 0.1, discount = 0.75;
  std::size_t least = 2, samples = 3, length = 60;
  fovea::sampling_options how;
};

void declare(CLI::App& app, arguments& a) {
  const CLI::Range share(0.0, 1.0);
  app.add_option("TRAIN", a.train, "The text to count, a sentence or paragraph a line")->required();
  app.add_option("TEST", a.test, "Another text, whose perplexity is printed");
  app.add_option("--order", a.order, "Words of the longest gram")
      ->capture_default_str()
      ->check(CLI::Range(1, 16));
  app.add_option("--smoothing", a.smoothing, "kneser_ney, backoff, add_k or maximum_likelihood")
      ->capture_default_str()
      ->check(CLI::IsMember({"kneser_ney", "backoff", "add_k", "maximum_likelihood"}));
  app.add_option("--discount", a.discount, "Of kneser_ney and backoff")->capture_default_str()->check(share);
  app.add_option("-k", a.k, "Of add_k, above 0")->capture_default_str();
  app.add_flag("--characters", a.characters, "Count characters instead of words");
  app.add_option("--least", a.least, "Words that occur less often are unknown")->capture_default_str();
  app.add_option("--samples", a.samples, "Texts to write")
      ->capture_default_str()
      ->check(CLI::Range(0, 10000));
  app.add_option("--length", a.length, "The most words of a text")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--prompt", a.prompt, "What the texts begin with");
  app.add_option("--temperature", a.how.temperature, "0: always the most likely word")->capture_default_str();
  app.add_option("--top-k", a.how.top_k, "Only the k most likely words; 0: all")->capture_default_str();
  app.add_option("--top-p", a.how.top_p, "Only the most likely words that sum to p")->capture_default_str();
  app.add_option("--seed", a.how.seed, "The same seed writes the same texts")->capture_default_str();
}

fovea::ngram_smoothing smoothing_of(const arguments& a) {
  if (a.smoothing == "kneser_ney") return fovea::kneser_ney{a.discount};
  if (a.smoothing == "backoff") return fovea::backoff{a.discount};
  if (a.smoothing == "add_k") return fovea::add_k{a.k};
  return fovea::maximum_likelihood{};
}

/// A line as the model reads it.
token_ids marked(const text_units& units, const std::string& line) {
  token_ids text = units.ids(line);
  text.insert(text.begin(), text_units::start);
  text.push_back(text_units::end);
  return text;
}

std::string report_of_test(const arguments& a, const text_units& units, const fovea::ngram& model) {
  std::vector<double> log_p;
  std::ptrdiff_t unknown = 0, all = 0;
  for (const std::string& line : lines_of(a.test)) {
    const token_ids text = marked(units, line);
    unknown += std::ranges::count(text, text_units::unknown);
    all += std::ssize(text) - 2;
    std::ranges::copy(log_probabilities(model, text), std::back_inserter(log_p));
  }
  return fmt::format("{}: perplexity {:.1f}; {:.1f} % of {} {} are unknown\n", a.test.string(),
                     fovea::perplexity(log_p),
                     100.0 * static_cast<double>(unknown) / static_cast<double>(all), all,
                     a.characters ? "characters" : "words");
}

std::string samples_of(const arguments& a, const text_units& units, const fovea::ngram& model) {
  if (a.samples == 0) return "";
  token_ids prompt = units.ids(a.prompt);
  prompt.insert(prompt.begin(), text_units::start);
  fovea::sampling_options how = a.how;
  how.samples = a.samples;
  fovea::ngram_reader reader(model);
  std::string texts;
  for (const fovea::hypothesis& h :
       sample(reader, prompt, how, {.max_tokens = a.length, .end = {text_units::end}})) {
    token_ids whole = prompt;
    whole.insert(whole.end(), h.ids.begin(), h.ids.end());
    texts += fmt::format("{}{}\n", units.text(whole), h.ended == fovea::ended_by::length ? " ..." : "");
  }
  return texts;
}

void run(const arguments& a) {
  const std::vector<std::string> lines = lines_of(a.train);
  const text_units units(lines, a.characters ? unit::character : unit::word, a.least);
  fovea::ngram_counter counter(units.config(a.order));
  for (const std::string& line : lines) counter.add(units.ids(line));
  const fovea::ngram model(counter.counts(), smoothing_of(a));

  const fovea::ngram_counts& counts = model.counts();
  std::string text =
      fmt::format("{}: {} lines, {} different {}, {} different {}-grams in {:.1f} MB\n", a.train.string(),
                  lines.size(), counts.config().vocabulary - 3, a.characters ? "characters" : "words",
                  counts.distinct(a.order), a.order, static_cast<double>(counts.stored_bytes()) / 1e6);
  if (!a.test.empty()) text += report_of_test(a, units, model);
  text += samples_of(a, units, model);
  program::print(text);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>(
      "ngram", "Counts the n-grams of a text, says how well they predict another, and writes texts like it.",
      count, words, declare, run);
}
