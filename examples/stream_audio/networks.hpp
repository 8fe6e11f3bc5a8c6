#pragma once

#include <fovea/models/sequential.hpp>

namespace stream_audio_program {

// The networks that the program is compiled for, a line each in `every_network` (sound_network.cpp). Those
// here are published beside RTNeural.

using fovea::models::layer_activation;
using fovea::models::layer_config;
using fovea::models::layer_kind;
using fovea::models::sequential_config;

inline constexpr sequential_config<4> gru_8{
    .layers = {{{.kind = layer_kind::dense, .out = 8, .activation = layer_activation::tanh},
                {.kind = layer_kind::gru, .out = 8},
                {.kind = layer_kind::dense, .out = 8, .activation = layer_activation::sigmoid},
                {.kind = layer_kind::dense, .out = 1}}}};

inline constexpr sequential_config<2> lstm_8{
    .layers = {{{.kind = layer_kind::lstm, .out = 8}, {.kind = layer_kind::dense, .out = 1}}}};

inline constexpr sequential_config<12> dense_8{
    .layers = {{{.kind = layer_kind::dense, .out = 8},
                {.kind = layer_kind::activation, .activation = layer_activation::tanh},
                {.kind = layer_kind::dense, .out = 8},
                {.kind = layer_kind::activation, .activation = layer_activation::relu},
                {.kind = layer_kind::dense, .out = 8},
                {.kind = layer_kind::activation, .activation = layer_activation::elu},
                {.kind = layer_kind::dense, .out = 8},
                {.kind = layer_kind::activation, .activation = layer_activation::softmax},
                {.kind = layer_kind::dense, .out = 1},
                {.kind = layer_kind::dense, .out = 8, .bias = false},
                {.kind = layer_kind::dense, .out = 8, .bias = false},
                {.kind = layer_kind::dense, .out = 1, .bias = false}}}};

inline constexpr sequential_config<9> convolutions{
    .layers = {{{.kind = layer_kind::dense, .out = 8, .activation = layer_activation::tanh},
                {.kind = layer_kind::conv1d, .out = 4, .activation = layer_activation::tanh, .taps = 3},
                {.kind = layer_kind::batchnorm, .epsilon = 0.01},
                {.kind = layer_kind::prelu, .out = 4},
                {.kind = layer_kind::conv1d, .out = 4, .activation = layer_activation::tanh},
                {.kind = layer_kind::conv1d,
                 .out = 6,
                 .activation = layer_activation::tanh,
                 .taps = 3,
                 .dilation = 2,
                 .groups = 2},
                {.kind = layer_kind::batchnorm, .epsilon = 5},
                {.kind = layer_kind::prelu, .out = 1},
                {.kind = layer_kind::dense, .out = 1, .activation = layer_activation::sigmoid}}}};

// What guitar amplifiers are often modelled by.
inline constexpr sequential_config<2> lstm_16{
    .layers = {{{.kind = layer_kind::lstm, .out = 16}, {.kind = layer_kind::dense, .out = 1}}}};

} // namespace stream_audio_program
