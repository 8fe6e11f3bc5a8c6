#pragma once

#include "shapes.hpp"

#include <string>
#include <variant>

namespace play_amp_program {

using network_shape = std::variant<wavenet_shape, conditioned_shape, lstm_shape>;

// As .nam files name them.

const char* name_of(activation function);
const char* name_of(gate gating);
const char* name_of(film_place place);

/// In one line: "LSTM: 2 layers of 16", "WaveNet: 3 channels, dilations 1 2, taps 3, Tanh, head 2". What most
/// networks lack is told only where it is there.
std::string text_of(const network_shape& shape);

} // namespace play_amp_program
