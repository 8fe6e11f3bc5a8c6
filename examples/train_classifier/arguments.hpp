#pragma once

#include <program/text.hpp>
#include <training/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace train_classifier {

struct arguments {
  std::vector<std::string> texts;
  std::string model = "kim";
  program::encoding encoding = program::encoding::utf_8;
  training::options how{.out = "classifier", .batch = 50, .evaluate_every = 100, .patience = 10};
  double validation = 0.1;
  std::size_t folds = 0, minimum_count = 2;
};

/// Kim's convolutional network (2014), CNN-rand; a GRU that reads both ways; a small BERT.
void run_kim(const arguments& a);
void run_rnn(const arguments& a);
void run_bert(const arguments& a);

} // namespace train_classifier
