#include "fuzzed.hpp"

#include <fovea/weights/word_vectors.hpp>

void fovea::core::fuzz::run(std::string_view input) {
  static const input_file file("vectors.txt");
  attempt([&] { load_word_vectors(file.holding(input)); });
}
