#pragma once

#include "nam_file.hpp"

#include <fovea/weights/weights.hpp>

namespace play_amp_program {

// The one list of numbers that a file has, as tensors under the names of the model of its shape. All throw
// fovea::error where the list has another length than the network takes.

fovea::model_weights weights_of(const nam_file& file, const wavenet_shape& shape);
fovea::model_weights weights_of(const nam_file& file, const conditioned_shape& shape);
/// Its layers have one matrix [4 hidden, in + hidden] and one bias in a file.
fovea::model_weights weights_of(const nam_file& file, const lstm_shape& shape);

} // namespace play_amp_program
