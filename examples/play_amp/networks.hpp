#pragma once

#include "shapes.hpp"

#include <array>
#include <initializer_list>

namespace play_amp_program {

// The networks that the program is compiled for. Each has a line in networks.cpp, and a file that compiles it,
// which takes the compiler long: of its own, as a1_standard.cpp, or with others.

/// Layers of as many taps, one for each dilation.
constexpr array_shape array_of(array_shape array, int taps, activation function,
                               std::initializer_list<int> dilations) {
  for (const int dilation : dilations)
    array.layers[array.count++] = {.taps = taps, .dilation = dilation, .primary = {function}};
  return array;
}

/// What Neural Amp Modeler trains by default.
inline constexpr wavenet_shape a1_standard{
    .count = 2,
    .arrays = {
        array_of({.channels = 16, .head = 8}, 3, activation::tanh, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}),
        array_of({.channels = 8, .head_bias = true}, 3, activation::tanh,
                 {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})}};

/// Its smaller ones, whose first array has 12, 8 or 4 channels.
constexpr wavenet_shape a1_small(int channels) {
  return {.count = 2,
          .arrays = {array_of({.channels = channels, .head = channels / 2}, 3, activation::tanh,
                              {1, 2, 4, 8, 16, 32, 64}),
                     array_of({.channels = channels / 2, .head_bias = true}, 3, activation::tanh,
                              {128, 256, 512, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512})}};
}
inline constexpr wavenet_shape a1_lite = a1_small(12), a1_feather = a1_small(8), a1_nano = a1_small(4);

/// Its second generation, which has 8 channels, or 3 where it is to be light.
constexpr wavenet_shape a2(int channels) {
  array_shape array{.channels = channels, .head_taps = 16, .head_bias = true};
  constexpr std::array dilations{1,   3,   7, 17, 41, 101, 239, 1,  3,  7,   17, 41,
                                 101, 239, 1, 13, 1,  3,   7,   17, 41, 101, 239};
  for (const int dilation : dilations) {
    const bool wide = array.count == 14 || array.count == 15;
    array.layers[array.count++] = {
        .taps = wide ? 15 : 6, .dilation = dilation, .primary = {activation::leaky_relu, 0.01f}};
  }
  return {.count = 1, .arrays = {array}};
}
inline constexpr wavenet_shape a2_lite = a2(3), a2_full = a2(8);

// The LSTMs that it trains.
inline constexpr lstm_shape lstm_24{.hidden = 24}, lstm_2x8{.layers = 2, .hidden = 8}, lstm_16{.hidden = 16},
    lstm_12{.hidden = 12};

// The small ones that its library has as examples.
inline constexpr wavenet_shape wavenet_3_2{
    .count = 2,
    .arrays = {array_of({.channels = 3, .head = 2}, 3, activation::tanh, {1, 2}),
               array_of({.channels = 2, .head_bias = true}, 3, activation::tanh, {8})}};
constexpr wavenet_shape relu(int channels) {
  return {.count = 1,
          .arrays = {array_of({.channels = channels}, 3, activation::relu,
                              {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})}};
}
inline constexpr wavenet_shape relu_3 = relu(3), relu_2 = relu(2), relu_1 = relu(1);
inline constexpr lstm_shape lstm_3{.hidden = 3};

/// All that a WaveNet of the format may have.
constexpr conditioned_shape every_part() {
  array_shape first =
      array_of({.channels = 3, .bottleneck = 6, .head1x1 = 6, .head = 4}, 2, activation::silu, {1, 2});
  first.films.fill(film::scale_and_shift);
  for (std::size_t i = 0; i < first.count; ++i)
    first.layers[i].gating = gate::gated, first.layers[i].secondary = {activation::hardswish};

  array_shape second =
      array_of({.channels = 4, .bottleneck = 2, .head1x1 = 4, .head = 8}, 3, activation::prelu, {1, 3, 5});
  second.films.fill(film::scale);
  for (std::size_t i = 0; i < second.count; ++i) second.layers[i].gating = gate::gated;
  second.layers[0].gating = gate::blended;
  second.layers[0].secondary = {.function = activation::leaky_hardtanh, .most = 0.9f, .slope_above = 0.02f};
  second.layers[1].secondary = {activation::relu};
  second.layers[2].primary = {activation::softsign}, second.layers[2].secondary = {activation::sigmoid};

  array_shape main =
      array_of({.channels = 4, .head1x1 = 4, .head_bias = true}, 4, activation::softsign, {1, 2});
  main.films.fill(film::scale_and_shift);
  return {.condition = {.count = 2, .arrays = {first, second}}, .network = {.count = 1, .arrays = {main}}};
}
inline constexpr conditioned_shape a2_max = every_part();

} // namespace play_amp_program
