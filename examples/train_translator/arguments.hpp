#pragma once

#include <training/options.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace train_translator {

struct arguments {
  std::filesystem::path source, target;
  std::vector<std::filesystem::path> held_out; // none, or the lines of both languages
  std::string model = "bahdanau", schedule = "cosine";
  training::options how{.out = "translator", .batch = 64, .rate = 2e-3};
  std::int64_t warmup = 200;
  double validation = 0.03, clip = 1;
  std::size_t longest = 50, samples = 4;
};

/// Learns a model; the folder is what `translate` opens.
void run_bahdanau(const arguments& a);
void run_luong(const arguments& a);
void run_transformer(const arguments& a);

} // namespace train_translator
