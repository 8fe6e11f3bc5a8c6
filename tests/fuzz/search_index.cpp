#include "fuzzed.hpp"

#include "../../examples/semantic_search/text_index.hpp"

void fovea::fuzz::run(std::string_view input) {
  static const input_file file("index.safetensors");
  attempt([&] { semantic_search::load_index(file.holding(input)); });
}
