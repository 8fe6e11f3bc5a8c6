#pragma once

#include "shapes.hpp"

#include <fovea/dsl.hpp>

namespace play_amp_program {

/// f of each number of z; makes a parameter name.slopes where f is prelu.
constexpr fovea::expr activated(const nonlinearity& f, const char* name, fovea::expr z) {
  const fovea::scope names(z, name);
  const auto slope = static_cast<double>(f.slope), above = static_cast<double>(f.slope_above);
  const auto least = static_cast<double>(f.least), most = static_cast<double>(f.most);
  switch (f.function) {
    case activation::tanh:
      return tanh(z);
    case activation::fast_tanh: {
      const fovea::expr a = abs(z), square = z * z;
      return z * (2.45550750702956 * (1 + a) + (0.893229853513558 + 0.821226666969744 * a) * square) /
             (2.44506634652299 + (2.44506634652299 + square) * abs(z + 0.814642734961073 * z * a));
    }
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
      return leaky_relu(z, slope);
    case activation::prelu:
      return relu(z) + parameter(z, "slopes", {z.size(-1)}) * min(z, 0);
    case activation::leaky_hardtanh:
      return clamp(z, least, most) + slope * min(z - least, 0) + above * relu(z - most);
  }
  return z;
}

/// FiLM (Perez et al. 2018).
constexpr fovea::expr modulated(fovea::expr x, fovea::expr condition, const char* name, film how) {
  const fovea::dim width = x.size(-1);
  switch (how) {
    case film::none:
      return x;
    case film::scale:
      return x * linear(condition, name, width);
    case film::scale_and_shift: {
      const auto [scale, shift] = fovea::split<2>(linear(condition, name, 2 * width));
      return x * scale + shift;
    }
  }
  return x;
}

/// What a layer makes of z.
constexpr fovea::expr gated(const layer_shape& layer, fovea::expr z) {
  if (layer.gating == gate::none) return activated(layer.primary, "primary", z);
  const auto [p, q] = fovea::split<2>(z);
  const fovea::expr f = activated(layer.primary, "primary", p),
                    g = activated(layer.secondary, "secondary", q);
  return layer.gating == gate::gated ? f * g : g * f + (1 - g) * p;
}

/// Moves x on by a layer, and returns what the head adds up.
constexpr fovea::expr layer_output(fovea::expr& x, fovea::expr condition, const array_shape& array,
                                   const layer_shape& layer) {
  using namespace fovea;
  const auto at = [&](film_place place, const char* name, expr of) {
    return modulated(of, condition, name, array.films[place]);
  };
  const int rows = layer.gating == gate::none ? array.bottleneck : 2 * array.bottleneck;
  const expr seen = conv1d(at(conv_pre, "conv_pre", x), "conv", rows, layer.taps,
                           {.dilation = layer.dilation, .padding = causal});
  const expr mixed = linear(at(mix_pre, "mix_pre", condition), "mix", rows, {.bias = false});
  const expr z = at(conv_post, "conv_post", seen) + at(mix_post, "mix_post", mixed);
  const expr active = gated(layer, at(activation_pre, "activation_pre", z));
  const expr a = at(activation_post, "activation_post", active);
  if (array.has_layer1x1) {
    const expr added = linear(a, "layer1x1", array.channels);
    const expr moved = at(layer1x1_post, "layer1x1_post", added);
    // A file has its numbers always; the library that defines the format uses them only there.
    x = x + (layer.gating == gate::blended ? moved : added);
  }
  return array.head1x1 == 0 ? a : at(head1x1_post, "head1x1_post", linear(a, "head1x1", array.head1x1));
}

/// The WaveNet of Neural Amp Modeler (after van den Oord et al. 2016): signal [1, T, 1], condition [1, T,
/// features] -> [1, T, c.out()]. An array reads what the layers of the one before made, and adds
/// to its head.
constexpr fovea::expr wavenet_output(fovea::expr signal, fovea::expr condition, const wavenet_shape& c) {
  using namespace fovea;
  expr x = signal, head;
  for (std::size_t i = 0; i < c.count; ++i) {
    const array_shape& array = c.arrays[i];
    const scope names(x, "arrays", static_cast<int>(i));
    x = linear(x, "rechannel", array.channels, {.bias = false});
    for (std::size_t j = 0; j < array.count; ++j) {
      const scope below(x, "layers", static_cast<int>(j));
      const expr a = layer_output(x, condition, array, array.layers[j]);
      head = i == 0 && j == 0 ? a : head + a;
    }
    head = conv1d(head, "head", array.head, array.head_taps,
                  {.dilation = array.head_dilation, .padding = causal, .bias = array.head_bias});
  }
  expr y = head * parameter(signal, "head_scale", {1});
  for (std::size_t i = 0; i < c.post.count; ++i) {
    const scope names(y, "post", static_cast<int>(i));
    y = conv1d(activated(c.post.function, "function", y), "conv", c.post.out_of(i), c.post.taps[i],
               {.padding = causal});
  }
  return y;
}
constexpr fovea::expr wavenet_output(fovea::expr signal, const wavenet_shape& c) {
  return wavenet_output(signal, signal, c);
}
constexpr fovea::expr wavenet_output(fovea::expr signal, const conditioned_shape& c) {
  const auto condition = [&] {
    const fovea::scope names(signal, "condition");
    return wavenet_output(signal, c.condition);
  }();
  return wavenet_output(signal, condition, c.network);
}

/// x [1, T, 1], samples -> y of its shape. `c` is a wavenet_shape or a conditioned_shape.
template <const auto& c>
inline constexpr auto wavenet = fovea::model("wavenet", [](fovea::graph& g) {
  g.output("y", wavenet_output(g.input<fovea::f32>("x", {1, "T", 1}), c));
});

} // namespace play_amp_program
