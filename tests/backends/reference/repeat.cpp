#include "run_graph.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

/// Appends a digit: what remains of x says which layers ran, in which order, with which parameters.
expr with_digit(expr x) { return x * 10 + parameter(x, "digit", {1}); }

} // namespace

TEST_CASE("each layer has parameters of its own", "[repeat]") {
  const auto out = run_graph(
      [](graph& g) { g.output("y", repeat("h", 3, g.input<f32>("x", {1}), with_digit, {.first = 4})); },
      {{"x", {7}}, {"h.4.digit", {1}}, {"h.5.digit", {2}}, {"h.6.digit", {3}}});
  check_close(out.at("y"), {7123});
}

TEST_CASE("nested repeats count their layers through, the innermost fastest", "[repeat]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {1});
        g.output("y",
                 repeat("outer", 2, x, [](expr y) { return with_digit(repeat("inner", 3, y, with_digit)); }));
      },
      {{"x", {9}},
       {"outer.0.inner.0.digit", {1}},
       {"outer.0.inner.1.digit", {2}},
       {"outer.0.inner.2.digit", {3}},
       {"outer.0.digit", {4}},
       {"outer.1.inner.0.digit", {5}},
       {"outer.1.inner.1.digit", {6}},
       {"outer.1.inner.2.digit", {7}},
       {"outer.1.digit", {8}}});
  check_close(out.at("y"), {912345678});
}

TEST_CASE("a repeat equals its layers unrolled", "[repeat]") {
  const named_arrays given{{"x", {{1, -2}, {0.5, 3}}}, {"h.0.a.weight", {{1, 2}, {0, 1}}},
                           {"h.0.a.bias", {0, 1}},     {"h.1.a.weight", {{-1, 0}, {1, 1}}},
                           {"h.1.a.bias", {2, 0}},     {"h.2.a.weight", {{0, 1}, {3, 0}}},
                           {"h.2.a.bias", {0, -1}}};
  const auto block = [](expr x) { return x + tanh(linear(x, "a", 2)); };
  const auto repeated = run_graph(
      [&](graph& g) {
        g.output("y", repeat("h", 3, g.input<f32>("x", {"T", 2}), block));
      },
      given);
  const auto unrolled = run_graph(
      [&](graph& g) {
        expr x = g.input<f32>("x", {"T", 2});
        for (int i = 0; i < 3; ++i) {
          const scope layer(x, "h", i);
          x = block(x);
        }
        g.output("y", x);
      },
      given);
  check_close(repeated.at("y"), unrolled.at("y"));
}

TEST_CASE("several values are carried at once, and may change places", "[repeat]") {
  const auto out = run_graph(
      [](graph& g) {
        const std::array<expr, 2> start{g.input<f32>("a", {1}), g.input<f32>("b", {1})};
        const auto ends = repeat("fibonacci", 5, start, [](std::array<expr, 2> x) {
          return std::array<expr, 2>{x[1], x[0] + x[1]};
        });
        const auto swapped = repeat("swap", 3, start, [](std::array<expr, 2> x) {
          return std::array<expr, 2>{x[1], x[0]};
        });
        g.output("fibonacci", concat(axis(0), ends[0], ends[1]));
        g.output("swapped", concat(axis(0), swapped[0], swapped[1]));
      },
      {{"a", {0}}, {"b", {1}}});
  check_close(out.at("fibonacci"), {5, 8});
  check_close(out.at("swapped"), {1, 0});
}

TEST_CASE("what the body takes from outside is the same in every layer", "[repeat]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {1}), shared = parameter(x, "shared", {1}), twice = shared * 2;
        g.output("y", repeat("h", 3, x, [&](expr y) { return y * 10 + twice; }));
        g.output("constant", repeat("g", 2, x, [&](expr) { return twice; }));
      },
      {{"x", {1}}, {"shared", {2}}});
  check_close(out.at("y"), {1444});
  check_close(out.at("constant"), {4});
}

TEST_CASE("one repeat feeds the next, and a later value reads both", "[repeat]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr a = repeat("a", 2, g.input<f32>("x", {1}), with_digit), b = repeat("b", 1, a, with_digit);
        g.output("y", a + b);
      },
      {{"x", {0}}, {"a.0.digit", {1}}, {"a.1.digit", {2}}, {"b.0.digit", {3}}});
  check_close(out.at("y"), {12 + 123});
}
