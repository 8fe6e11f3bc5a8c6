#pragma once

#include "network_shape.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace play_amp_program {

/// What a .nam file holds of one network.
struct nam_file {
  std::string source; // as messages name it
  network_shape shape;
  std::vector<float> weights;        // in the file's order
  std::optional<double> sample_rate; // Hz
};

/// Reads a file of Neural Amp Modeler: a WaveNet, an LSTM, or the one of a container's networks that `size`
/// chooses, the first that ends above it, else the last. Throws fovea::error that names the file, what was
/// expected and what was found where it is malformed, or has what the program does not know.
nam_file read_nam(const std::filesystem::path& path, double size = 1);

} // namespace play_amp_program
