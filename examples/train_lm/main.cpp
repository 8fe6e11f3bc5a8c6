// Trains language models of several kinds on a text of the user's.

#include "arguments.hpp"

#include <program/program.hpp>

#include <map>

namespace {

using namespace train_lm;

const std::map<std::string, void (*)(const arguments&)> models{{"bigram", run_bigram}, {"window", run_window},
                                                               {"ngram", run_ngram},   {"rnn", run_rnn},
                                                               {"lstm", run_lstm},     {"char", run_char}};

void declare(CLI::App& app, arguments& a) {
  app.add_option("TEXT", a.text, "A UTF-8 text")->required();
  app.add_option("--model", a.model,
                 "bigram (counts) or window (a neural network that sees three characters), of the characters "
                 "of lines; ngram (counts), rnn, lstm, or char (an LSTM that reads words by their "
                 "characters), of words")
      ->capture_default_str()
      ->check(CLI::IsMember(models));
  training::declare(app, a.how);
  app.add_option(
         "--validation", a.validation,
         "The share that is held out: of window, of the lines, and as much again for the test loss; of "
         "words, the text's end")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 0.4));
  app.add_option("--held-out", a.held_out, "Of words: another text to hold out instead");
  app.add_option("--test", a.test,
                 "Of words: a text to look at once at the end, by the best parameters; ngram's");
  app.add_option("--samples", a.samples, "Lines to write at the end")->capture_default_str();
}

void run(const arguments& a) { models.at(a.model)(a); }

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("train_lm", "Trains language models of several kinds on a text.", count,
                                 words, declare, run);
}
