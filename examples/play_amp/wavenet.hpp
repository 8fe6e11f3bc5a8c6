#pragma once

#include "shapes.hpp"

#include <fovea/dsl.hpp>

namespace play_amp_program {

/// A layer's function of z.
constexpr fovea::expr activated(const layer_shape& layer, fovea::expr z) {
  switch (layer.function) {
    case activation::tanh:
      return tanh(z);
    case activation::relu:
      return relu(z);
    case activation::sigmoid:
      return sigmoid(z);
    case activation::silu:
      return silu(z);
    case activation::softsign:
      return z / (1 + abs(z));
    case activation::hardtanh:
      return clamp(z, -1, 1);
    case activation::hardswish:
      return hardswish(z);
    case activation::leaky_relu:
      return leaky_relu(z, static_cast<double>(layer.slope));
  }
  return z;
}

/// The WaveNet of Neural Amp Modeler (after van den Oord et al. 2016), without gates: signal [1, T, 1] ->
/// [1, T, head of the last array]. An array reads what the layers of the one before made, and adds to its
/// head. Parameters are made in the order of a file's weights.
constexpr fovea::expr wavenet_output(fovea::expr signal, const wavenet_shape& c) {
  using namespace fovea;
  expr x = signal, head;
  for (std::size_t i = 0; i < c.count; ++i) {
    const array_shape& array = c.arrays[i];
    const scope names(x, "arrays", static_cast<int>(i));
    x = linear(x, "rechannel", array.channels, {.bias = false});
    for (std::size_t j = 0; j < array.count; ++j) {
      const layer_shape& layer = array.layers[j];
      const scope below(x, "layers", static_cast<int>(j));
      const expr z =
          conv1d(x, "conv", array.channels, layer.taps, {.dilation = layer.dilation, .padding = causal}) +
          linear(signal, "mix", array.channels, {.bias = false});
      const expr a = activated(layer, z);
      head = i == 0 && j == 0 ? a : head + a;
      x = x + linear(a, "layer1x1", array.channels);
    }
    head = conv1d(head, "head", array.head, array.head_taps, {.padding = causal, .bias = array.head_bias});
  }
  return head * parameter(signal, "head_scale", {1});
}

/// x [1, T, 1], samples -> y of its shape.
template <const wavenet_shape& c>
inline constexpr auto wavenet = fovea::model("wavenet", [](fovea::graph& g) {
  g.output("y", wavenet_output(g.input<fovea::f32>("x", {1, "T", 1}), c));
});

} // namespace play_amp_program
