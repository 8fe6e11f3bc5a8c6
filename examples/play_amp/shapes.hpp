#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace play_amp_program {

// What a .nam file says of its network: all that decides what is compiled. Files and the networks that the
// program is compiled for are compared by these.

/// Of a WaveNet's layer.
enum class activation : std::uint8_t { tanh, relu, sigmoid, silu, softsign, hardtanh, hardswish, leaky_relu };
inline constexpr std::array activations{activation::tanh,      activation::relu,      activation::sigmoid,
                                        activation::silu,      activation::softsign,  activation::hardtanh,
                                        activation::hardswish, activation::leaky_relu};

struct layer_shape {
  int taps = 1, dilation = 1;
  activation function = activation::tanh;
  float slope = 0; // of leaky_relu below 0

  friend bool operator==(const layer_shape&, const layer_shape&) = default;
};

/// Layers one after another, and the convolution that reads the sum of what they make.
struct array_shape {
  static constexpr std::size_t most_layers = 32;

  int channels = 1;
  int head = 1, head_taps = 1; // what that convolution gives, and sees
  bool head_bias = false;
  std::size_t count = 0; // of layers
  std::array<layer_shape, most_layers> layers{};

  friend bool operator==(const array_shape&, const array_shape&) = default;
};

/// Arrays of layers over a signal of one channel, which is each layer's condition, too.
struct wavenet_shape {
  static constexpr std::size_t most_arrays = 4;

  std::size_t count = 0; // of arrays
  std::array<array_shape, most_arrays> arrays{};

  /// How many samples before it an output depends on, and itself.
  constexpr int sees() const {
    int samples = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const array_shape& array = arrays[i];
      for (std::size_t j = 0; j < array.count; ++j)
        samples += array.layers[j].dilation * (array.layers[j].taps - 1);
      samples += array.head_taps - 1;
    }
    return samples;
  }

  friend bool operator==(const wavenet_shape&, const wavenet_shape&) = default;
};

struct lstm_shape {
  int layers = 1, hidden = 1;

  friend bool operator==(const lstm_shape&, const lstm_shape&) = default;
};

} // namespace play_amp_program
