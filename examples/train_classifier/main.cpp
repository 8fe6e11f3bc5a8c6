// Trains classifiers of several kinds on labelled texts of the user's.

#include "arguments.hpp"

#include <program/program.hpp>

#include <map>

namespace {

using namespace train_classifier;

const std::map<std::string, void (*)(const arguments&)> models{
    {"kim", run_kim}, {"rnn", run_rnn}, {"bert", run_bert}};
const std::map<std::string, program::encoding> encodings{{"utf-8", program::encoding::utf_8},
                                                         {"windows-1252", program::encoding::windows_1252}};

void declare(CLI::App& app, arguments& a) {
  app.add_option("TEXTS", a.texts,
                 "A file of lines of a label, a tab and a text; or several LABEL=FILE, files whose lines all "
                 "have that label")
      ->required();
  app.add_option("--model", a.model,
                 "kim (a convolutional network), rnn (a GRU that reads both ways) or bert (a small one)")
      ->capture_default_str()
      ->check(CLI::IsMember(models));
  app.add_option("--encoding", a.encoding, "Of the files: utf-8 or windows-1252")
      ->transform(CLI::CheckedTransformer(encodings));
  training::declare(app, a.how);
  app.add_option("--validation", a.validation,
                 "The share of the texts that is held out to choose the parameters by")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 0.9));
  app.add_option(
         "--folds", a.folds,
         "Cross-validation: learn that many times, each time without another part of the texts, which "
         "is looked at once at the end; 0: learn once")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  app.add_option("--minimum-count", a.minimum_count,
                 "Words that occur less often in what is learned from are unknown")
      ->capture_default_str();
}

void run(const arguments& a) {
  if (a.folds == 1) throw fovea::error("--folds: expected 0, or 2 and more");
  models.at(a.model)(a);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("train_classifier", "Trains a classifier on labelled texts.", count, words,
                                 declare, run);
}
