#pragma once

#include <training/options.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace train_digits {

struct arguments {
  std::string images, labels, test_images, test_labels, model = "cnn";
  training::options how{.out = "digits", .batch = 64};
  std::size_t test = 1000, validation = 0;
  int shift = 2;
  double decay = 0.01;

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all{images, labels};
    if (!test_images.empty()) all.insert(all.end(), {test_images, test_labels});
    return all;
  }
};

/// A GRU that reads an image's rows one after the other; a convolutional network; a Vision Transformer.
void run_gru(const arguments& a);
void run_cnn(const arguments& a);
void run_vit(const arguments& a);

} // namespace train_digits
