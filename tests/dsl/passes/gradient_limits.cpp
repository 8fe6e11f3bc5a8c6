#include <catch2/catch.hpp>

#include <memory>
#include <string>

#include <fovea/dsl/passes/gradient_graph.hpp>

#include "../../view_of.hpp"
#include "../refused.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim B{"B"};

/// The sentence for why a declaration with a loss has no gradients, without the place that it begins with.
template <class F>
std::string without_gradients(F declare) {
  const auto g = std::make_unique<graph>(), to = std::make_unique<graph>();
  declare(*g);
  REQUIRE(std::string(g->error.text).empty());
  const graph_view from = test::view_of(*g);
  detail::copy_tables(*to, *g);
  const auto pass = std::make_unique<detail::differentiator<graph::max_nodes>>(
      detail::differentiator<graph::max_nodes>{from, *to});
  pass->run_forward(false);
  const int loss = detail::find_loss(from);
  pass->add(loss, to->add({.kind = op::constant, .settings = {.number = 1}, .at = from.at(loss).at}));
  pass->run_back();
  return words_of(to->error.text);
}

void loss_of(graph& g, expr x) { g.output("loss", mean(detail::flat(x, {}), axis(0))); }

} // namespace

TEST_CASE("what gradients outgrow is said") {
  const auto layers = [](int count) {
    return [count](graph& g) {
      loss_of(g, repeat("h", 2, g.input<f32>("x", {B, 4}), [count](expr x) {
                for (int i = 0; i < count; ++i) {
                  const scope layer(x, "layer", i);
                  x = linear(x, "l", 4);
                }
                return x;
              }));
    };
  };
  CHECK(without_gradients(layers(100)) == "");
  CHECK(without_gradients(layers(150)) == "a loop has more than 256 gradients of weights");
  const auto loops = [](int count) {
    return [count](graph& g) {
      expr x = linear(g.input<f32>("x", {B, 4}), "l", 4);
      for (int i = 0; i < count; ++i) {
        const scope loop(x, "loop", i);
        x = repeat("h", 2, x, [](expr y) { return tanh(linear(y, "l", 4)); });
      }
      loss_of(g, x);
    };
  };
  CHECK(without_gradients(loops(60)) == "");
  CHECK(without_gradients(loops(70)) == "the gradients need more than 127 repeats and scans");
}
