#include "fuzzed.hpp"

#include <fovea/weights/weights.hpp>

#include <vector>

/// Opens a checkpoint and has all of its tensors as numbers.
void fovea::core::fuzz::run(std::string_view input) {
  static const input_file file(FOVEA_FUZZED_FILE);
  attempt([&] {
    const model_weights read = load_weights(file.holding(input));
    for (const auto& [name, tensor] : read.tensors()) {
      const std::vector<wanted_parameter> wanted{{name, tensor.shape}};
      attempt([&] { read.resolve_known(wanted); });
    }
  });
}
