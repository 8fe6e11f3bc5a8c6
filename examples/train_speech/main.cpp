// Trains a network that writes what is said.

#include "arguments.hpp"

#include <program/program.hpp>

namespace {

using train_speech::arguments;

void declare(CLI::App& app, arguments& a) {
  app.add_option("SOUNDS", a.sounds,
                 "A line for each recording: its file, from the list's folder on, a tab and what is said")
      ->required();
  app.add_option("--test", a.test, "Another such list, which is measured once, at the end");
  app.add_option(
         "--validation", a.validation,
         "The share of SOUNDS that is held out to choose the parameters by; 0: the last parameters are "
         "kept, and the loss of the test is shown")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.9));
  training::declare(app, a.how);
  app.add_option("--gain", a.gain,
                 "The most by which sounds are made louder or softer while learning, in decibels")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 40.0));
  app.add_option("--warp", a.warp,
                 "The most by which voices are made higher or lower while learning: 0.1 is a tenth")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.5));
  app.add_option("--mask", a.mask, "The most bands and spectra in a row that are left out while learning")
      ->capture_default_str()
      ->check(CLI::Range(0, 20));
}

void run(const arguments& a) {
  if (a.validation == 0 && a.test.empty())
    throw fovea::error("expected --test or --validation: recordings to look at that were not learned from");
  if (a.how.patience > 0 && a.validation == 0)
    throw fovea::error("--patience: expected --validation, recordings to look at other than the test's");
  train_speech::run(a);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("train_speech", "Trains a network that writes what is said.", count, words,
                                 declare, run);
}
