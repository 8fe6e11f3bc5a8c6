#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>

// Files of Neural Amp Modeler, as tests write them.

inline nlohmann::json some_weights(std::size_t count) {
  nlohmann::json made = nlohmann::json::array();
  for (std::size_t i = 0; i < count; ++i) made.push_back(0.4 * std::sin(1.7 * static_cast<double>(i) + 0.5));
  return made;
}

/// A file of the shape `wavenet_3_2`, in the words of early files.
inline nlohmann::json wavenet_file() {
  const nlohmann::json first{{"input_size", 1},      {"condition_size", 1}, {"head_size", 2},
                             {"channels", 3},        {"kernel_size", 3},    {"dilations", {1, 2}},
                             {"activation", "Tanh"}, {"gated", false},      {"head_bias", false}};
  const nlohmann::json second{{"input_size", 3},      {"condition_size", 1}, {"head_size", 1},
                              {"channels", 2},        {"kernel_size", 3},    {"dilations", {8}},
                              {"activation", "Tanh"}, {"gated", false},      {"head_bias", true}};
  return {{"version", "0.5.4"},
          {"architecture", "WaveNet"},
          {"config", {{"layers", {first, second}}, {"head", nullptr}, {"head_scale", 0.02}}},
          {"weights", some_weights(131)}};
}

/// A file of the shape `lstm_3`.
inline nlohmann::json lstm_file() {
  return {{"version", "0.5.4"},
          {"architecture", "LSTM"},
          {"config", {{"input_size", 1}, {"hidden_size", 3}, {"num_layers", 1}}},
          {"weights", some_weights(70)},
          {"sample_rate", 48000}};
}
