#pragma once

#include "nam_file.hpp"

#include <fovea/dsl/graph_view.hpp>
#include <fovea/weights/weights.hpp>

namespace play_amp_program {

// The one list of numbers that a file has, as tensors under a model's own names. Both throw fovea::error where
// the list has another length than the network takes.

/// Of a model that makes its parameters in the order of the list.
fovea::model_weights weights_in_order(const nam_file& file, const fovea::core::graph_view& model);

/// Of an LSTM, whose layers have one matrix [4 hidden, in + hidden] and one bias in a file.
fovea::model_weights lstm_weights(const nam_file& file, const lstm_shape& shape);

} // namespace play_amp_program
