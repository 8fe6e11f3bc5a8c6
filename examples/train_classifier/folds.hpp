#pragma once

#include "arguments.hpp"

#include <training/recorder.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace train_classifier {

/// How many texts got their label, and some of those that did not.
struct marks {
  std::size_t right = 0, all = 0;
  std::vector<std::string> wrong = {};

  double percent() const { return 100 * static_cast<double>(right) / static_cast<double>(all); }
  std::string text() const { return training::share(right, all); }
};

/// What one split of the texts comes to, by the parameters of the best validation loss.
struct fold_result {
  training::outcome learned;
  marks marked;
};

/// Prints the mean of the folds and writes it, with each of them, as folds.csv and report.html.
void write_folds(const std::vector<fold_result>& folds, const arguments& a);

} // namespace train_classifier
