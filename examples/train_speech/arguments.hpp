#pragma once

#include <training/options.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace train_speech {

struct arguments {
  std::string sounds, test;
  training::options how{.out = "speech", .steps = 3000, .batch = 16, .rate = 3e-3};
  double validation = 0, gain = 0, warp = 0;
  int mask = 0;

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all{sounds};
    if (!test.empty()) all.push_back(test);
    return all;
  }
};

void run(const arguments& a);

} // namespace train_speech
