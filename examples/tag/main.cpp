// Tags each word of a text by a trained tagger, or says how often it is right.

#include "tagger.hpp"

#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace tag_program;

struct arguments {
  std::string folder, file = "-";
  bool tagged = false, sizes = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("FOLDER", a.folder, "What train.py has written");
  app.add_option("FILE", a.file, "Lines of words between white space; -: the standard input")
      ->capture_default_str();
  app.add_flag("--tagged", a.tagged, "The words have their tags, word/TAG: say how many are right");
  app.add_flag("--sizes", a.sizes, "Print the sizes of the network, for train.py");
}

void run(const arguments& a) {
  if (a.sizes) {
    program::print(sizes_as_json().dump() + "\n");
    return;
  }
  if (a.folder.empty())
    throw fovea::error("expected the folder that train.py has written (--help lists the options)");
  tagger words_tagger(a.folder);
  std::size_t number = 0, right = 0, all = 0;
  for (const std::string& line : program::lines_of(a.file)) {
    ++number;
    std::vector<std::string> words = words_of(line), expected;
    if (a.tagged)
      for (std::string& word : words) {
        const std::size_t slash = word.rfind('/');
        if (slash == std::string::npos || slash == 0)
          throw fovea::error(fmt::format("{}:{}: expected word/TAG, found {}", a.file, number, word));
        expected.push_back(word.substr(slash + 1));
        word.resize(slash);
      }
    const std::vector<std::string> tags = words_tagger.tags_of(words);
    for (std::size_t i = 0; i < words.size(); ++i, ++all) {
      if (a.tagged)
        right += tags[i] == expected[i] ? 1 : 0;
      else
        words[i] += '/' + tags[i];
    }
    if (!a.tagged) program::print(fmt::format("{}\n", fmt::join(words, " ")));
  }
  if (a.tagged && all > 0)
    program::print(fmt::format("{:.1f} % of {} words are right\n",
                               100 * static_cast<double>(right) / static_cast<double>(all), all));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("tag", "Tags each word of a text.", count, words, declare, run);
}
