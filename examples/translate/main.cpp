// Translates lines by a trained encoder-decoder, and draws which words it looked at.

#include "sizes.hpp"
#include "translator.hpp"

#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>

#include <string>
#include <vector>

namespace {

using namespace translate_program;

struct arguments {
  std::string folder, file = "-", sizes, map;
  fovea::beam_options how;
  bool scores = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("FOLDER", a.folder, "What train_translator has written, or train.py");
  app.add_option("FILE", a.file, "The lines to translate; -: the standard input")->capture_default_str();
  app.add_option("--beam", a.how.width, "Hypotheses that are kept")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--best", a.how.best, "Translations printed for a line")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--length-power", a.how.length_power,
                 "Of the length that divides log p: 0 prefers short ones")
      ->capture_default_str();
  app.add_flag("--scores", a.scores, "Print log p before a translation");
  app.add_option("--map", a.map, "Draw what each word looked at to this .svg, .png, .html or .json");
  app.add_option("--sizes", a.sizes, "Print the sizes of bahdanau, luong or transformer, for train.py");
}

void run(const arguments& a) {
  if (!a.sizes.empty()) {
    program::print(sizes_of(a.sizes).dump() + "\n");
    return;
  }
  if (a.folder.empty())
    throw fovea::error("expected the folder that train_translator has written (--help lists the options)");
  translator words(a.folder);
  std::vector<picture::attention_map> maps;
  std::size_t number = 0;
  for (const std::string& line : program::lines_of(a.file)) {
    ++number;
    std::vector<translation> made;
    try {
      made = words.translate(line, a.how);
    } catch (const fovea::error& problem) {
      throw fovea::error(fmt::format("line {}: {}", number, problem.what()));
    }
    for (const translation& t : made)
      program::print(a.scores ? fmt::format("{:.2f}  {}\n", t.log_probability, t.text) : t.text + "\n");
    if (!a.map.empty()) maps.push_back(words.alignment(line, made.front()));
  }
  if (!a.map.empty()) picture::save(maps, a.map);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("translate", "Translates lines by a trained encoder-decoder.", count, words,
                                 declare, run);
}
