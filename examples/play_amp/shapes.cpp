#include "network_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace play_amp_program {

namespace {

/// What f says of each layer: one text where all are equal, else all of them.
template <class F>
std::string joined(std::span<const layer_shape> layers, F f) {
  std::vector<std::string> texts;
  for (const layer_shape& layer : layers) texts.push_back(f(layer));
  if (std::ranges::adjacent_find(texts, std::ranges::not_equal_to()) == texts.end()) return texts.front();
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string text_of(const nonlinearity& f) {
  const char* const name = name_of(f.function);
  if (f.function == activation::leaky_relu) return fmt::format("{} {}", name, f.slope);
  if (f.function == activation::leaky_hardtanh)
    return fmt::format("{} {} to {}, slopes {} and {}", name, f.least, f.most, f.slope, f.slope_above);
  return name;
}

std::string text_of(const layer_shape& layer) {
  if (layer.gating == gate::none) return text_of(layer.primary);
  return fmt::format("{} {} by {}", text_of(layer.primary), name_of(layer.gating), text_of(layer.secondary));
}

std::string channels(int count) { return fmt::format("{} channel{}", count, count == 1 ? "" : "s"); }

std::string text_of(const array_shape& array) {
  const auto layers = std::span(array.layers).first(array.count);
  std::vector<std::string> dilations;
  for (const layer_shape& layer : layers) dilations.push_back(std::to_string(layer.dilation));
  std::string made =
      fmt::format("{}, dilations {}, taps {}, {}", channels(array.channels), fmt::join(dilations, " "),
                  joined(layers, [](const layer_shape& layer) { return std::to_string(layer.taps); }),
                  joined(layers, [](const layer_shape& layer) { return text_of(layer); }));
  if (array.bottleneck != array.channels) made += fmt::format(", bottleneck {}", array.bottleneck);
  if (!array.has_layer1x1) made += ", no layer1x1";
  if (array.head1x1 != 0) made += fmt::format(", head1x1 {}", array.head1x1);
  for (std::size_t at = 0; at < film_places; ++at)
    if (array.films[at] != film::none)
      made += fmt::format(", {}{}", name_of(static_cast<film_place>(at)),
                          array.films[at] == film::scale ? " without shift" : "");
  return fmt::format("{}, head {}{}{}{}", made, array.head,
                     array.head_taps > 1 ? fmt::format(" of {} taps", array.head_taps) : "",
                     array.head_dilation > 1 ? fmt::format(" dilated by {}", array.head_dilation) : "",
                     array.head_bias ? " with bias" : "");
}

std::string text(const wavenet_shape& shape) {
  std::string made = "WaveNet";
  for (std::size_t i = 0; i < shape.count; ++i) made += (i == 0 ? ": " : "; ") + text_of(shape.arrays[i]);
  for (std::size_t i = 0; i < shape.post.count; ++i)
    made += fmt::format("; {}, {} taps, {}", text_of(shape.post.function), shape.post.taps[i],
                        channels(shape.post.out_of(i)));
  return made;
}

std::string text(const conditioned_shape& shape) {
  return text(shape.network) + "; condition by a " + text(shape.condition);
}

std::string text(const lstm_shape& shape) {
  return fmt::format("LSTM: {} layer{} of {}", shape.layers, shape.layers == 1 ? "" : "s", shape.hidden);
}

} // namespace

const char* name_of(activation function) {
  switch (function) {
    case activation::tanh:
      return "Tanh";
    case activation::fast_tanh:
      return "Fasttanh";
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
    case activation::prelu:
      return "PReLU";
    case activation::leaky_hardtanh:
      return "LeakyHardtanh";
  }
  return "";
}

const char* name_of(gate gating) {
  switch (gating) {
    case gate::none:
      return "none";
    case gate::gated:
      return "gated";
    case gate::blended:
      return "blended";
  }
  return "";
}

const char* name_of(film_place place) {
  constexpr std::array names{"conv_pre_film",         "conv_post_film",      "input_mixin_pre_film",
                             "input_mixin_post_film", "activation_pre_film", "activation_post_film",
                             "layer1x1_post_film",    "head1x1_post_film"};
  static_assert(names.size() == film_places);
  return names[place];
}

std::string text_of(const network_shape& shape) {
  return std::visit([](const auto& one) { return text(one); }, shape);
}

} // namespace play_amp_program
