#include "run_graph.hpp"

#include <cmath>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

TEST_CASE("sinusoidal positions, sine before cosine", "[position]") {
  const auto out = run_graph(
      [](graph& g) {
        g.output("y", sinusoidal_positions(g.input<f32>("x", {"B", "T", 4}), {.base = 100}));
      },
      {{"x", array(xt::zeros<double>({1, 3, 4}))}});
  check_close(out.at("y"), {{0, 1, 0, 1},
                            {std::sin(1.0), std::cos(1.0), std::sin(0.1), std::cos(0.1)},
                            {std::sin(2.0), std::cos(2.0), std::sin(0.2), std::cos(0.2)}});
}

TEST_CASE("rope turns the first features of each head", "[position]") {
  // Two heads of five features, of which four turn; base 100 makes the angles 1 and 0.1 a position.
  const array x{{1, 0, 1, 0, 9, 0, 1, 0, 1, 8}, {1, 0, 1, 0, 9, 0, 1, 0, 1, 8}};
  const auto turned = [&](rope_pairing pairing, int offset) {
    const auto out = run_graph(
        [=](graph& g) {
          g.output("y", rope(g.input<f32>("x", {"T", 10}),
                             {.heads = 2, .base = 100, .pairing = pairing, .width = 4, .offset = offset}));
        },
        {{"x", x}});
    return array(xt::view(out.at("y"), 1));
  };
  const double c = std::cos(1.0), s = std::sin(1.0), c1 = std::cos(0.1), s1 = std::sin(0.1);
  check_close(turned(neighbours, 0), {c, s, c1, s1, 9, -s, c, -s1, c1, 8});
  check_close(turned(halves, 0), {c - s, 0, c + s, 0, 9, 0, c1 - s1, 0, c1 + s1, 8});
  check_close(turned(neighbours, 2), {std::cos(3.0), std::sin(3.0), std::cos(0.3), std::sin(0.3), 9,
                                      -std::sin(3.0), std::cos(3.0), -std::sin(0.3), std::cos(0.3), 8});
}

TEST_CASE("rope counts positions anew in each batch row", "[position]") {
  const auto out = run_graph(
      [](graph& g) {
        g.output("y", rope(g.input<f32>("x", {"B", "T", 2})));
      },
      {{"x", {{{1, 0}, {1, 0}}, {{1, 0}, {1, 0}}}}});
  const double c = std::cos(1.0), s = std::sin(1.0);
  check_close(out.at("y"), {{{1, 0}, {c, s}}, {{1, 0}, {c, s}}});
}
