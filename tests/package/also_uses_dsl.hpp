#pragma once

#include <fovea/dsl.hpp>

inline constexpr fovea::dim B{"B"};

inline constexpr auto tiny = fovea::model("tiny", [](fovea::graph& g) {
  g.output("y", fovea::relu(fovea::linear(g.input<fovea::f32>("x", {B, 8}), "up", 4)));
});
static_assert(tiny.parameters() == 8 * 4 + 4);

long long parameters_elsewhere();
