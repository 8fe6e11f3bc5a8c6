#pragma once

#include "fovea_dsl.hpp"

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto block = fovea::model("block", [](fovea::graph& g) {
  fovea::expr x = g.input<fovea::f32>("x", {B, T, 768});
  x = fovea::attention(x, x, x, {.heads = 12, .mask = fovea::causal});
  g.output("y", fovea::linear(fovea::layer_norm(x, "norm"), "up", 3072));
});
static_assert(block.parameters() == 2 * 768 + 768 * 3072 + 3072);

long long parameters_elsewhere();
