#pragma once

// Layer after layer over samples of sound, as RTNeural's JSON files hold them (Chowdhury 2021, "RTNeural:
// Fast Neural Inferencing for Real-Time Systems"): dense and recurrent layers, causal convolutions, norms.

#include <fovea/dsl.hpp>

#include <array>
#include <cstddef>

namespace fovea::models {

enum class layer_kind : std::uint8_t { dense, conv1d, gru, lstm, batchnorm, prelu, activation };
enum class layer_activation : std::uint8_t { none, tanh, relu, sigmoid, softmax, elu };

/// One layer; what does not concern its kind stays as it is.
struct layer_config {
  layer_kind kind = layer_kind::dense;
  int out = 0; // features; of prelu how many slopes: 1 or as many as it reads
  layer_activation activation = layer_activation::none;
  bool bias = true;                       // of dense
  int taps = 1, dilation = 1, groups = 1; // of conv1d
  double epsilon = 0.001;                 // of batchnorm
};

template <std::size_t n>
struct sequential_config {
  int in = 1; // features of a sample
  std::array<layer_config, n> layers;
};

constexpr expr activated_by(layer_activation how, expr x,
                            source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  switch (how) {
    case layer_activation::none:
      return x;
    case layer_activation::tanh:
      return tanh(x, at);
    case layer_activation::relu:
      return relu(x, at);
    case layer_activation::sigmoid:
      return sigmoid(x, at);
    case layer_activation::softmax:
      return softmax(x, axis(-1), at);
    case layer_activation::elu: {
      const reported_at here(x, at);
      return where(x > 0, x, exp(min(x, 0)) - 1);
    }
  }
  return x;
}

/// x [B, T, features] -> [B, T, features of the layer].
constexpr expr sequential_layer(expr x, const layer_config& c,
                                source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  switch (c.kind) {
    case layer_kind::dense:
      return activated_by(c.activation, linear(x, "dense", c.out, {.bias = c.bias}));
    case layer_kind::conv1d:
      return activated_by(
          c.activation,
          conv1d(x, "conv", c.out, c.taps, {.dilation = c.dilation, .padding = causal, .groups = c.groups}));
    case layer_kind::gru: // their activations are part of the cell
      return gru(x, "gru", c.out);
    case layer_kind::lstm:
      return lstm(x, "lstm", c.out);
    case layer_kind::batchnorm:
      return activated_by(c.activation, batch_norm(x, "norm", {.epsilon = c.epsilon}));
    case layer_kind::prelu:
      return where(x > 0, x, x * parameter(x, "prelu.weight", {c.out}));
    case layer_kind::activation:
      return activated_by(c.activation, x);
  }
  return x;
}

/// All of them: x [B, T, in] -> [B, T, features of the last]. Parameters lie below "layers.0", "layers.1" ...
template <std::size_t n>
constexpr expr sequential_output(expr x, const sequential_config<n>& c,
                                 source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at here(x, at);
  for (std::size_t i = 0; i < n; ++i) {
    const scope layer(x, "layers", static_cast<int>(i));
    x = sequential_layer(x, c.layers[i]);
  }
  return x;
}

/// The reader's names do not say what kind a layer is.
inline constexpr auto sequential_names = std::to_array<name_rule>({
    {"layers.*.dense.weight", "layers.*.weight"},
    {"layers.*.dense.bias", "layers.*.bias"},
    {"layers.*.conv.weight", "layers.*.weight"},
    {"layers.*.conv.bias", "layers.*.bias"},
    {"layers.*.gru.weight_ih_l0", "layers.*.weight_ih_l0"},
    {"layers.*.gru.weight_hh_l0", "layers.*.weight_hh_l0"},
    {"layers.*.gru.bias_ih_l0", "layers.*.bias_ih_l0"},
    {"layers.*.gru.bias_hh_l0", "layers.*.bias_hh_l0"},
    {"layers.*.lstm.weight_ih_l0", "layers.*.weight_ih_l0"},
    {"layers.*.lstm.weight_hh_l0", "layers.*.weight_hh_l0"},
    {"layers.*.lstm.bias_ih_l0", "layers.*.bias_ih_l0"},
    {"layers.*.lstm.bias_hh_l0", "layers.*.bias_hh_l0"},
    {"layers.*.norm.weight", "layers.*.weight"},
    {"layers.*.norm.bias", "layers.*.bias"},
    {"layers.*.norm.running_mean", "layers.*.running_mean"},
    {"layers.*.norm.running_var", "layers.*.running_var"},
    {"layers.*.prelu.weight", "layers.*.weight"},
});

/// x [B, T, in] -> y [B, T, features of the last layer].
template <const auto& c>
inline constexpr auto sequential = model(
    "sequential",
    [](graph& g) {
      g.output("y", sequential_output(g.input<f32>("x", {"B", "T", c.in}), c));
    },
    sequential_names);

} // namespace fovea::models
