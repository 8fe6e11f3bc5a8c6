#pragma once

#include "shapes.hpp"

#include <string>
#include <variant>

namespace play_amp_program {

using network_shape = std::variant<wavenet_shape, lstm_shape>;

/// As .nam files name it.
const char* name_of(activation function);

/// In one line: "LSTM: 2 layers of 16", "WaveNet: 3 channels, dilations 1 2, taps 3, Tanh, head 2".
std::string text_of(const network_shape& shape);

} // namespace play_amp_program
