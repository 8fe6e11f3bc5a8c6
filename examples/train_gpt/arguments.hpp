#pragma once

#include <training/options.hpp>

#include <fovea/runtime/decoding/sampling.hpp>

#include <filesystem>
#include <string>

namespace train_gpt {

struct arguments {
  std::filesystem::path data, tokenizer;
  std::string size = "small", prompt = "\n";
  training::options how{.out = "gpt", .batch = 12};
  double validation = 0.1, warmup = 100, floor = 0.1, decay = 0.1, beta2 = 0.99, clip = 1;
  fovea::sampling_options sampling{.temperature = 0.8};
  std::size_t length = 500;
  bool write = false;
};

} // namespace train_gpt
