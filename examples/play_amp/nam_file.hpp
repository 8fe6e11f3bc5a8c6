#pragma once

#include "array_groups.hpp"
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
  std::vector<float> weights;        // in the file's order, before them those of the condition's network
  std::vector<array_groups> groups;  // of each array; the condition's before
  std::vector<float> slopes;         // of PReLU: layer by layer, before a gate and then the gate's
  std::optional<double> sample_rate; // Hz
};

/// Reads a file of Neural Amp Modeler: a WaveNet, an LSTM, or the one of a container's networks that `size`
/// chooses, the first that ends above it, else the last. A WaveNet that may be cut to fewer channels, and is in
/// no container, has the part of them that `size` says. Throws fovea::error where `size` is not from 0 to 1, and one that
/// names the file, what was expected and what was found where it is malformed, or has what the program does not know.
nam_file read_nam(const std::filesystem::path& path, double size = 1);

} // namespace play_amp_program
