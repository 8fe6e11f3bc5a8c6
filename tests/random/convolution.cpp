#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

constexpr auto over_time = model("over_time", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 12});
  g.output("padded", conv1d(x, "padded", 37, 3, {.padding = 1}));
  g.output("strided", conv1d(x, "strided", 9, 5, {.stride = 3, .dilation = 2, .padding = 4}));
  g.output("grouped", conv1d(x, "grouped", 18, 2, {.stride = 2, .padding = 1, .groups = 3}));
  g.output("depthwise", relu(conv1d(x, "depthwise", 12, 5, {.padding = causal, .groups = 12})) * x);
  g.output("long", x + silu(conv1d(x, "long", 12, 17, {.padding = same, .groups = 12})));
  g.output("turned", conv_transpose1d(x, "turned", 7, 4, {.stride = 3, .padding = 0}));
  g.output("largest", max_over(relu(conv1d(x, "largest", 35, 5, {.padding = 4})), axis(1)));
  g.output("max", max_pool(x, 3, {.stride = 2, .padding = 1}));
  g.output("mean", avg_pool(x, 3, {.stride = 2, .padding = 1}));
});

// Windows that all lie inside, of weights that the first-level cache holds, and of some that it does not.
constexpr auto inside = model("inside", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 12});
  const expr wide = conv1d(x, "wide", 41, 3, {.dilation = 2});
  g.output("joined", gelu(wide) + conv1d(x, "other", 41, 5));
  g.output("strided", relu(conv1d(x, "strided", 16, 5, {.stride = 3})));
  g.output("few", conv1d(wide, "few", 3, 1, {.stride = 2, .bias = false}));
  g.output("large", conv1d(wide, "large", 70, 3));
});

constexpr auto over_planes = model("over_planes", [](graph& g) {
  const expr x = g.input<f32>("x", {B, "H", "W", 5});
  g.output("padded", x + gelu(conv2d(x, "padded", 5, 3, {.padding = 1})));
  g.output("strided", conv2d(x, "strided", 33, 3, {.stride = 2, .padding = 1}));
  g.output("depthwise", conv2d(x, "depthwise", 5, 3, {.padding = 1, .groups = 5}));
  g.output("long", conv2d(x, "long", 5, {1, 17}, {.padding = {0, 12}, .groups = 5}));
  g.output("point", conv2d(x, "point", 20, 1, {.bias = false}));
  g.output("turned", conv_transpose2d(x, "turned", 6, 3, {.stride = 2}));
  g.output("largest", max_pool(x, 3, {.stride = 2, .padding = 1}));
});

// Square filters, of features that are enough for tiles.
constexpr auto by_tiles = model("by_tiles", [](graph& g) {
  const expr x = g.input<f32>("x", {B, "H", "W", 19});
  g.output("padded", x + gelu(conv2d(x, "padded", 19, 3, {.padding = 1})));
  g.output("inside", relu(conv2d(x, "inside", 16, 3, {.padding = {1, 0}})));
  g.output("wide", batch_norm(conv2d(x, "wide", 37, 3, {.padding = 2, .bias = false}), "norm"));
  g.output("turned", conv_transpose2d(x, "turned", 33, 3, {.padding = 1}));
  g.output("larger", x * conv2d(x, "larger", 19, 5, {.padding = 2}));
  g.output("strided", silu(conv2d(slice(x, axis(-1), 0, 3), "strided", 18, 7, {.stride = 2, .padding = 3})));
});

constexpr auto moving = model("moving", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  const expr h = tanh(conv1d(x, "wide", 20, 3, {.dilation = 4, .padding = causal}));
  g.output("y", conv1d(h, "out", 9, 5, {.padding = causal}));
  g.output("each", conv1d(h, "each", 20, 4, {.padding = causal, .groups = 20}));
  g.output("few",
           relu(conv1d(h, "few", 3, 3, {.dilation = 2, .padding = causal})) * slice(x, axis(-1), 0, 3));
});

const size_ranges of_stream{{"B", {1, 3}}, {"T", {1, 40}}};

} // namespace

TEST_CASE("calls of convolutions", "[random]") {
  check_drawn_calls(over_time, {{"B", {1, 3}}, {"T", {1, 70}}});
  check_drawn_calls(inside, {{"B", {1, 3}}, {"T", {7, 70}}});
  check_drawn_calls(over_planes, {{"B", {1, 3}}, {"H", {1, 20}}, {"W", {1, 20}}});
  check_drawn_calls(by_tiles, {{"B", {1, 3}}, {"H", {1, 20}}, {"W", {3, 20}}});
}

TEST_CASE("steps and rows of convolutions", "[random]") {
  check_drawn_steps<T>(moving, of_stream);
  check_drawn_rows<T>(moving, of_stream);
}
