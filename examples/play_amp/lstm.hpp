#pragma once

#include "shapes.hpp"

#include <fovea/dsl.hpp>

namespace play_amp_program {

/// The LSTM of Neural Amp Modeler (Hochreiter and Schmidhuber 1997), whose first states are learned: x
/// [1, T, 1] -> [1, T, 1].
constexpr fovea::expr lstm_output(fovea::expr x, const lstm_shape& c) {
  using namespace fovea;
  recurrent_state first{.count = c.layers};
  for (int i = 0; i < c.layers; ++i) {
    const scope names(x, "first", i);
    first.hidden[static_cast<std::size_t>(i)] = parameter(x, "hidden", {1, c.hidden});
    first.cell[static_cast<std::size_t>(i)] = parameter(x, "cell", {1, c.hidden});
  }
  return linear(lstm(x, "lstm", c.hidden, {.layers = c.layers, .initial = first}), "head", 1);
}

/// x [1, T, 1], samples -> y of its shape.
template <const lstm_shape& c>
inline constexpr auto recurrent = fovea::model("lstm", [](fovea::graph& g) {
  g.output("y", lstm_output(g.input<fovea::f32>("x", {1, "T", 1}), c));
});

} // namespace play_amp_program
