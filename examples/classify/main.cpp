// Says of each line which label a trained classifier gives it.

#include "classifier.hpp"
#include "sizes.hpp"

#include <program/program.hpp>
#include <program/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace classify_program;

struct arguments {
  std::string folder, file = "-", sizes;
  bool labelled = false;
};

void declare(CLI::App& app, arguments& a) {
  app.add_option("FOLDER", a.folder, "What train_classifier or train.py has written");
  app.add_option("FILE", a.file, "The lines to classify; -: the standard input")->capture_default_str();
  app.add_flag("--labelled", a.labelled,
               "The lines begin with their label and a tab: say how many are right");
  app.add_option("--sizes", a.sizes, "Print the sizes of kim, rnn or bert, for train.py");
}

void run(const arguments& a) {
  if (!a.sizes.empty()) {
    program::print(sizes_of(a.sizes).dump() + "\n");
    return;
  }
  if (a.folder.empty())
    throw fovea::error(
        "expected the folder that train_classifier or train.py has written (--help lists the options)");
  classifier texts(a.folder);
  std::size_t number = 0, right = 0;
  for (const std::string& line : program::lines_of(a.file)) {
    ++number;
    std::string text = line, label;
    if (a.labelled) {
      const std::size_t tab = line.find('\t');
      if (tab == std::string::npos)
        throw fovea::error(fmt::format("{}:{}: expected a label, a tab and a text", a.file, number));
      label = line.substr(0, tab), text = line.substr(tab + 1);
    }
    std::vector<double> shares;
    try {
      shares = texts.probabilities(text);
    } catch (const fovea::error& problem) {
      throw fovea::error(fmt::format("{}:{}: {}", a.file, number, problem.what()));
    }
    const auto best =
        static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    right += texts.labels()[best] == label ? 1 : 0;
    if (!a.labelled)
      program::print(fmt::format("{}  {:.3f}  {}\n", texts.labels()[best], shares[best], text));
  }
  if (a.labelled && number > 0)
    program::print(fmt::format("{:.1f} % of {} lines are right\n",
                               100 * static_cast<double>(right) / static_cast<double>(number), number));
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("classify", "Says which label a trained classifier gives each line.", count,
                                 words, declare, run);
}
