// Says how well a language model that reads characters predicts a text, and writes more like it.

#include "character_model.hpp"

#include <program/program.hpp>
#include <program/text.hpp>

#include <fovea/base/utf8.hpp>

#include <fmt/format.h>

#include <string>

namespace {

using namespace char_lm_program;

struct arguments {
  std::string folder, text, prompt;
  std::size_t length = 40;
  fovea::sampling_options how{.samples = 0};
  bool sizes = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("FOLDER", a.folder, "What train.py has written");
  app.add_option("TEXT", a.text, "A text whose perplexity is printed; -: the standard input");
  app.add_option("--samples", a.how.samples, "Texts to write")
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  app.add_option("--prompt", a.prompt, "What the texts begin with");
  app.add_option("--length", a.length, "The most words of a text")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--temperature", a.how.temperature, "0: always the most likely word")->capture_default_str();
  app.add_option("--top-k", a.how.top_k, "Only the k most likely words; 0: all")->capture_default_str();
  app.add_option("--top-p", a.how.top_p, "Only the most likely words that sum to p")->capture_default_str();
  app.add_option("--seed", a.how.seed, "The same seed writes the same texts")->capture_default_str();
  app.add_flag("--sizes", a.sizes, "Print the sizes of the network, for train.py");
}

void run(const arguments& a) {
  if (a.sizes) {
    program::print(sizes_as_json().dump() + "\n");
    return;
  }
  if (a.folder.empty())
    throw fovea::error("expected the folder that train.py has written (--help lists the options)");
  character_model model(a.folder);
  if (!a.text.empty()) {
    const measured m = model.measure(program::lines_of(a.text));
    program::print(fmt::format("{}: perplexity {:.1f}; {:.1f} % of {} words are unknown\n", a.text,
                               m.perplexity,
                               100 * static_cast<double>(m.unknown) / static_cast<double>(m.words), m.words));
  }
  fovea::core::check_utf8(a.prompt);
  if (a.how.samples > 0)
    for (const std::string& text : model.write(a.prompt, a.how, a.length)) program::print(text + "\n");
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>(
      "char_lm",
      "Says how well a language model that reads characters predicts a text, and writes more like it.", count,
      words, declare, run);
}
