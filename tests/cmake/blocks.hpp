#pragma once

#include <fovea/dsl.hpp>

/// What add_model.cpp compiles for every instruction set, too: convolutions from each number of few features to another,
/// whose stream takes blocks of positions.
namespace blocks {

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto widths = model("widths", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 1});
  constexpr int counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 10};
  for (int i = 0; i < 15; ++i) {
    const scope names(x, "layers", i);
    x = tanh(conv1d(x, "conv", counts[i], 2 + i % 3, {.dilation = 1 + i, .padding = causal}));
  }
  g.output("y", linear(x, "out", 3));
  g.output("x", x);
});

} // namespace blocks
