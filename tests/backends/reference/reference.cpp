#include "run_graph.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr auto two_layers = fovea::model("two_layers", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", 2});
  g.output("y", repeat("h", 2, x, [](expr y) { return linear(y, "a", 2, {.bias = false}); }));
  g.output("x", x);
});

const graph_view view = two_layers.view;
const array identity{{1, 0}, {0, 1}}, exchange{{0, 1}, {1, 0}};

} // namespace

TEST_CASE("a model declared at compile time runs, its outputs in the order of declaration", "[reference]") {
  const reference_program program(view, {{exchange, 2 * exchange}});
  const auto out = program.run({array{{1, 2}, {3, 5}}}, {{"B", 2}});
  REQUIRE(out.size() == 2);
  check_close(out[0], {{2, 4}, {6, 10}});
  check_close(out[1], {{1, 2}, {3, 5}});
  check_close(program.run({array{{4, 3}}}, {{"B", 1}})[0], {{8, 6}}); // nothing is left of the first run
}

TEST_CASE("parameters that do not fit the model are named", "[reference]") {
  CHECK_THROWS_WITH(reference_program(view, {}), "parameters: expected 1, found 0");
  CHECK_THROWS_WITH(reference_program(view, {{identity}}),
                    "parameter \"h.*.a.weight\": expected 2 layers, found 1");
  CHECK_THROWS_WITH(reference_program(view, {{identity, array{1, 2}}}),
                    "parameter \"h.*.a.weight\": expected [2, 2], found [2]");
}

TEST_CASE("inputs that do not fit the model are named", "[reference]") {
  const reference_program program(view, {{identity, identity}});
  CHECK_THROWS_WITH(program.run({}, {{"B", 1}}), "inputs: expected 1, found 0");
  CHECK_THROWS_WITH(program.run({array{{1, 2}}}, {{"B", 2}}), "input \"x\": expected [2, 2], found [1, 2]");
  CHECK_THROWS_WITH(program.run({array{{1, 2}}}, {{"T", 1}}), "dim B: no size is given for it");
}
