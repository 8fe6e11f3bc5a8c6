#pragma once

#include <fovea/dsl.hpp>

/// What add_model.cpp compiles for every instruction set: a recurrent filter with elementwise code of its
/// own, and the loss that trains it.
namespace filters {

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

constexpr expr filtered(expr x) {
  const expr wide = tanh(conv1d(x, "conv", 9, 3, {.dilation = 2, .padding = causal}));
  return linear(gru(wide * sigmoid(wide), "cell", 12), "out", 1) + x;
}
inline constexpr auto filter = model("filter", [](graph& g) {
  g.output("y", filtered(g.input<f32>("x", {B, T, 1})));
});
inline constexpr auto filter_loss = model("filter_loss", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 1});
  g.output("loss", mse(filtered(x), g.input<f32>("wanted", {B, T, 1})));
});

} // namespace filters

using namespace fovea; // as users write it
