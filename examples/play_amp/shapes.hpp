#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace play_amp_program {

// What a .nam file says of its network: all that decides what is compiled. Files and the networks that the
// program is compiled for are compared by these.

enum class activation : std::uint8_t {
  tanh,
  fast_tanh,
  relu,
  sigmoid,
  silu,
  softsign,
  hardtanh,
  hardswish,
  leaky_relu,
  prelu,
  leaky_hardtanh
};
inline constexpr std::array activations{
    activation::tanh,       activation::fast_tanh, activation::relu,          activation::sigmoid,
    activation::silu,       activation::softsign,  activation::hardtanh,      activation::hardswish,
    activation::leaky_relu, activation::prelu,     activation::leaky_hardtanh};

/// A function of each number. prelu's slopes are numbers of the file, one for each feature.
struct nonlinearity {
  activation function = activation::tanh;
  float slope = 0;                            // of leaky_relu below 0, of leaky_hardtanh below `least`
  float least = 0, most = 0, slope_above = 0; // of leaky_hardtanh

  friend bool operator==(const nonlinearity&, const nonlinearity&) = default;
};

/// What a layer makes of the two halves p and q of its features, where it has two: gated f(p) g(q), blended
/// g(q) f(p) + (1 - g(q)) p.
enum class gate : std::uint8_t { none, gated, blended };

struct layer_shape {
  int taps = 1, dilation = 1;
  nonlinearity primary{}; // f
  gate gating = gate::none;
  nonlinearity secondary{}; // g

  friend bool operator==(const layer_shape&, const layer_shape&) = default;
};

/// FiLM: features that are multiplied by one product of the condition, and moved by another.
enum class film : std::uint8_t { none, scale, scale_and_shift };

/// Where a layer may have one: at the convolution's input and output, at the condition before and after it is
/// mixed, before and after the activation, and behind the 1x1 convolutions to the next layer and to the head.
enum film_place : std::size_t {
  conv_pre,
  conv_post,
  mix_pre,
  mix_post,
  activation_pre,
  activation_post,
  layer1x1_post,
  head1x1_post,
  film_places
};

/// Layers one after another, and the convolution that reads the sum of what they make.
struct array_shape {
  static constexpr std::size_t most_layers = 32;

  int channels = 1;
  int bottleneck = channels; // features of a layer behind its activation
  bool has_layer1x1 = true;  // else a layer passes on what it reads
  int head1x1 = 0;           // features for the head; 0: it reads what the activation gives
  std::array<film, film_places> films{};
  int head = 1, head_taps = 1, head_dilation = 1; // what that convolution gives, and sees
  bool head_bias = false;
  std::size_t count = 0; // of layers
  std::array<layer_shape, most_layers> layers{};

  /// How many features the head reads.
  constexpr int head_in() const { return head1x1 == 0 ? bottleneck : head1x1; }

  friend bool operator==(const array_shape&, const array_shape&) = default;
};

/// Convolutions over what the arrays give, a function before each.
struct post_shape {
  static constexpr std::size_t most_layers = 8;

  std::size_t count = 0; // of convolutions
  std::array<int, most_layers> taps{};
  nonlinearity function{};
  int channels = 1, out = 1; // between them, and of the last

  /// How many features come out of the i-th.
  constexpr int out_of(std::size_t i) const { return i + 1 == count ? out : channels; }

  friend bool operator==(const post_shape&, const post_shape&) = default;
};

/// Arrays of layers over a signal of one channel.
struct wavenet_shape {
  static constexpr std::size_t most_arrays = 4;

  std::size_t count = 0; // of arrays
  std::array<array_shape, most_arrays> arrays{};
  post_shape post{};

  /// How many samples before it an output depends on, and itself.
  constexpr int sees() const {
    int samples = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const array_shape& array = arrays[i];
      for (std::size_t j = 0; j < array.count; ++j)
        samples += array.layers[j].dilation * (array.layers[j].taps - 1);
      samples += array.head_dilation * (array.head_taps - 1);
    }
    for (std::size_t i = 0; i < post.count; ++i) samples += post.taps[i] - 1;
    return samples;
  }
  /// How many channels come out.
  constexpr int out() const { return post.count == 0 ? arrays[count - 1].head : post.out; }

  friend bool operator==(const wavenet_shape&, const wavenet_shape&) = default;
};

/// A WaveNet whose layers have as their condition what another one makes of the signal.
struct conditioned_shape {
  wavenet_shape condition, network;

  constexpr int sees() const { return condition.sees() + network.sees() - 1; }

  friend bool operator==(const conditioned_shape&, const conditioned_shape&) = default;
};

struct lstm_shape {
  int layers = 1, hidden = 1;

  friend bool operator==(const lstm_shape&, const lstm_shape&) = default;
};

} // namespace play_amp_program
