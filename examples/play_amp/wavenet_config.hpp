#pragma once

#include "array_groups.hpp"
#include "nam_part.hpp"

#include <vector>

namespace play_amp_program {

/// What a .nam file's "config" says of a WaveNet.
struct wavenet_config {
  wavenet_shape shape;
  std::vector<array_groups> groups; // of each array
  std::vector<float> slopes;        // of PReLU: layer by layer, before a gate and then the gate's
  std::vector<std::vector<int>>
      may_have{}; // channels of each array; none where it has those of the shape only
};

/// Layers see a condition of so many features. Throws fovea::error as nam_part does.
wavenet_config read_wavenet(const nam_part& config, int condition);

} // namespace play_amp_program
