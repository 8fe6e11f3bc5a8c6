#include "network_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace play_amp_program {

namespace {

/// One text where all are equal, else all of them.
std::string joined(const std::vector<std::string>& texts) {
  if (std::ranges::adjacent_find(texts, std::ranges::not_equal_to()) == texts.end()) return texts.front();
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string text_of(const array_shape& array) {
  std::vector<std::string> dilations, taps, functions;
  for (std::size_t i = 0; i < array.count; ++i) {
    const layer_shape& layer = array.layers[i];
    dilations.push_back(std::to_string(layer.dilation));
    taps.push_back(std::to_string(layer.taps));
    functions.emplace_back(name_of(layer.function));
    if (layer.function == activation::leaky_relu) functions.back() += fmt::format(" {}", layer.slope);
  }
  return fmt::format("{} channels, dilations {}, taps {}, {}, head {}{}{}", array.channels,
                     fmt::join(dilations, " "), joined(taps), joined(functions), array.head,
                     array.head_taps > 1 ? fmt::format(" of {} taps", array.head_taps) : "",
                     array.head_bias ? " with bias" : "");
}

std::string text(const wavenet_shape& shape) {
  std::string made = "WaveNet";
  for (std::size_t i = 0; i < shape.count; ++i) made += (i == 0 ? ": " : "; ") + text_of(shape.arrays[i]);
  return made;
}

std::string text(const lstm_shape& shape) {
  return fmt::format("LSTM: {} layer{} of {}", shape.layers, shape.layers == 1 ? "" : "s", shape.hidden);
}

} // namespace

const char* name_of(activation function) {
  switch (function) {
    case activation::tanh:
      return "Tanh";
    case activation::relu:
      return "ReLU";
    case activation::sigmoid:
      return "Sigmoid";
    case activation::silu:
      return "SiLU";
    case activation::softsign:
      return "Softsign";
    case activation::hardtanh:
      return "Hardtanh";
    case activation::hardswish:
      return "Hardswish";
    case activation::leaky_relu:
      return "LeakyReLU";
  }
  return "";
}

std::string text_of(const network_shape& shape) {
  return std::visit([](const auto& one) { return text(one); }, shape);
}

} // namespace play_amp_program
