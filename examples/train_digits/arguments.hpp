#pragma once

#include <training/options.hpp>

#include <cstddef>
#include <string>

namespace train_digits {

struct arguments {
  std::string images, labels, test_images, test_labels, model = "cnn";
  training::options how{.out = "digits", .batch = 64};
  std::size_t test = 1000, validation = 0;
  int shift = 2;
  double decay = 0.01;
};

/// A GRU that reads an image's rows one after the other; a convolutional network; a Vision Transformer.
void run_gru(const arguments& a);
void run_cnn(const arguments& a);
void run_vit(const arguments& a);

} // namespace train_digits
