#include <catch2/catch.hpp>

#include <fovea/dsl.hpp>

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim B{"B"}, T{"T"};

/// 13 nodes: seven parameters, linear twice, layer_norm, gelu and two additions.
constexpr expr layer(expr x) {
  const expr h = linear(gelu(linear(layer_norm(x, "norm"), "up", 64)), "down", 16, {.bias = false});
  return x + h + parameter(x, "gain", {16});
}

/// As many nodes as a graph may have, of the usual kinds, all with names.
constexpr auto largest = model("largest", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 16});
  for (int i = 0; i < 340; ++i) {
    auto names = scope(x, "layer", i);
    x = layer(x);
  }
  while (g.node_count < graph::max_nodes) x = x * x;
  g.output("y", x);
});

} // namespace

// No limit of the compiler is raised for this.
static_assert(largest.view.node_count() == graph::max_nodes);

TEST_CASE("the largest graph has its parameters") {
  CHECK(largest.view.parameters.size() % 340 == 0);
  CHECK(largest.parameters() == 340 * (16 * 64 + 64 + 64 * 16 + 2 * 16 + 16));
}
