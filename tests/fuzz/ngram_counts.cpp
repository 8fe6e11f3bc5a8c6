#include "fuzzed.hpp"

#include <fovea/runtime/ngram/counts.hpp>

void fovea::core::fuzz::run(std::string_view input) {
  static const input_file file("counts.safetensors");
  attempt([&] { load_ngram_counts(file.holding(input)); });
}
