#pragma once

#include "wavenet_config.hpp"

#include <string>
#include <vector>

namespace play_amp_program {

// A WaveNet that was trained to play with the first of its channels alone, too.

/// The shape of a size from 0 to 1: each array has the one of its numbers of channels that lies there in their
/// list. Throws fovea::error that names the size where the format does not say how the network is cut.
wavenet_shape cut_shape(const wavenet_config& config, const std::string& source, double size);

/// The weights of that shape, of all of them.
std::vector<float> cut_weights(const std::vector<float>& weights, const wavenet_shape& from,
                               const wavenet_shape& to, int condition);

} // namespace play_amp_program
