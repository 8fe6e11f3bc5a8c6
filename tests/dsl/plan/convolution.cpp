#include <catch2/catch.hpp>

#include "../outputs.hpp"

using namespace fovea;
using namespace fovea::core;

// Shapes, parameters and cost of convolutions and pooling, and what is computed in one pass with them.

namespace {

constexpr dim B{"B"}, T{"T"}, H{"H"}, W{"W"};

constexpr auto over_time = model("over_time", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 64});
  g.output("valid", conv1d(x, "valid", 128, 3));
  g.output("strided", conv1d(x, "strided", 128, 5, {.stride = 2, .dilation = 3, .padding = 4}));
  g.output("causal", conv1d(x, "causal", 128, 3, {.stride = 4, .padding = causal}));
  g.output("grouped", conv1d(x, "grouped", 32, 4, {.padding = same, .groups = 16, .bias = false}));
  g.output("doubled", conv_transpose1d(x, "doubled", 32, 4, {.stride = 2, .padding = 1}));
  g.output("longer", conv_transpose1d(x, "longer", 8, 3, {.stride = 3, .output_padding = 2}));
  g.output("pooled", max_pool(x, 3, {.stride = 2, .padding = 1}));
  g.output("halved", avg_pool(x, 2));
  g.output("rounded_up", max_pool(x, 2, {.round_up = true}));
});

constexpr auto over_planes = model("over_planes", [](graph& g) {
  const expr x = g.input<f32>("x", {B, H, W, 3});
  g.output("patches", conv2d(x, "patches", 32, 16, {.stride = 16}));
  g.output("oblong", conv2d(x, "oblong", 8, {3, 1}, {.padding = {1, 0}}));
  g.output("doubled", conv_transpose2d(x, "doubled", 6, 4, {.stride = 2, .padding = 1, .groups = 3}));
  g.output("pooled", max_pool(x, 3, {.stride = 2, .padding = 1}));
  g.output("lines", avg_pool(x, {1, 2}));
  g.output("characters", conv1d(x, "characters", 4, 5)); // over the last axis but one, whatever stands before
});

/// Three convolutions of width 3 with padding 1 keep the time.
constexpr auto three = model("three", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 16});
  for (const char* name : {"a", "b", "c"}) x = relu(conv1d(x, name, 16, 3, {.padding = 1}));
  g.output("y", x);
});

constexpr auto side_by_side = model("side_by_side", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 16});
  const auto largest = [&](const char* name, int width) {
    return max_over(relu(conv1d(x, name, 8, width)), axis(1));
  };
  g.output("y", concat(axis(-1), largest("a", 2), largest("b", 3), largest("c", 4)));
});

constexpr auto normed = model("normed", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 16});
  g.output("y", x + relu(batch_norm(conv1d(x, "conv", 16, 3, {.padding = same}), "norm")));
});

constexpr auto largest = model("largest", [](graph& g) {
  g.output("y", max_over(relu(conv1d(g.input<f32>("x", {B, T, 16}), "conv", 16, 3)), axis(1)));
});

} // namespace

TEST_CASE("convolutions and pooling over time count their places in the dims of the input") {
  const auto shape = [](const char* name) { return output_shape(over_time.view, name); };
  CHECK(shape("valid") == "float32 [B, T - 2, 128]");
  CHECK(shape("strided") == "float32 [B, (T + 1)/2 - 2, 128]");
  CHECK(shape("causal") == "float32 [B, (T + 3)/4, 128]");
  CHECK(shape("grouped") == "float32 [B, T, 32]");
  CHECK(shape("doubled") == "float32 [B, 2*T, 32]");
  CHECK(shape("longer") == "float32 [B, 3*T + 2, 8]");
  CHECK(shape("pooled") == "float32 [B, (T + 1)/2, 64]");
  CHECK(shape("halved") == "float32 [B, T/2, 64]");
  CHECK(shape("rounded_up") == "float32 [B, (T + 1)/2, 64]");
  CHECK(output_shape(three.view, "y") == "float32 [B, T, 16]");
}

TEST_CASE("over planes, height and width are counted apart") {
  const auto shape = [](const char* name) { return output_shape(over_planes.view, name); };
  CHECK(shape("patches") == "float32 [B, H/16, W/16, 32]");
  CHECK(shape("oblong") == "float32 [B, H, W, 8]");
  CHECK(shape("doubled") == "float32 [B, 2*H, 2*W, 6]");
  CHECK(shape("pooled") == "float32 [B, (H + 1)/2, (W + 1)/2, 3]");
  CHECK(shape("lines") == "float32 [B, H, W/2, 3]");
  CHECK(shape("characters") == "float32 [B, H, W - 4, 4]");
}

TEST_CASE("filters have PyTorch's layout and names, and count into parameters and operations") {
  const auto shape_of = [](const graph_view& g, const std::string& name) -> std::string {
    for (std::size_t p = 0; p < g.parameters.size(); ++p)
      if (g.parameter_name(static_cast<int>(p)).text == name) {
        sentence s;
        g.write_shape(s, g.at(g.parameters[p].node).shape);
        return s.text;
      }
    return "no such parameter";
  };
  CHECK(shape_of(over_time.view, "strided.weight") == "[128, 64, 5]");
  CHECK(shape_of(over_time.view, "strided.bias") == "[128]");
  CHECK(shape_of(over_time.view, "grouped.weight") == "[32, 4, 4]");
  CHECK(shape_of(over_time.view, "grouped.bias") == "no such parameter");
  CHECK(shape_of(over_time.view, "longer.weight") == "[64, 8, 3]");
  CHECK(shape_of(over_planes.view, "oblong.weight") == "[8, 3, 3, 1]");
  CHECK(shape_of(over_planes.view, "doubled.weight") == "[3, 2, 4, 4]");
  static_assert(three.parameters() == 3 * (16 * 16 * 3 + 16));
  static_assert(three.flops({{B, 2}, {T, 10}}) == 3 * 2 * 2 * 10 * 16 * 16 * 3);
  static_assert(
      over_planes.flops({{B, 1}, {H, 32}, {W, 48}}) ==
      2 * (2 * 3 * 32 * 16 * 16 * 3 + 32 * 48 * 8 * 9 + 32 * 48 * 3 * 2 * 16 + 32 * 44 * 4 * 5 * 3));
}

template <class M>
constexpr const auto& plan_of(const M&) {
  return M::lowered::schedule;
}

TEST_CASE("a norm by statistics, an activation, a sum and the largest over time are one pass with their "
          "convolution, and convolutions of one input one step") {
  static_assert(plan_of(normed).step_count == 1 && plan_of(normed).steps[0].kind == step_kind::convolution);
  static_assert(plan_of(largest).step_count == 1 && plan_of(largest).steps[0].kind == step_kind::convolution);
  static_assert(plan_of(three).step_count == 3);
  static_assert(plan_of(side_by_side).steps[0].count == 3 && plan_of(side_by_side).step_count == 2);
  CHECK(plan_of(normed).groups.norm[plan_of(normed).groups.product[output_of(normed.view, "y")]] >= 0);
  CHECK(plan_of(largest).groups.largest[output_of(largest.view, "y")]);
}
