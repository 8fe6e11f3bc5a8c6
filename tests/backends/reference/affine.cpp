#include "run_graph.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

TEST_CASE("linear multiplies by the transposed weight and adds the bias", "[affine]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"B", "T", 3});
        g.output("with_bias", linear(x, "a", 2));
        g.output("without", linear(x, "b", 1, {.bias = false}));
      },
      {{"x", {{{1, 2, 3}, {0, 1, 0}}}},
       {"a.weight", {{1, 0, -1}, {2, 1, 0}}},
       {"a.bias", {10, 20}},
       {"b.weight", {{1, 1, 1}}}});
  check_close(out.at("with_bias"), {{{8, 24}, {10, 21}}});
  check_close(out.at("without"), tensor({1, 2, 1}, {6, 1}));
}

TEST_CASE("a row alone goes through linear", "[affine]") {
  const auto out = run_graph([](graph& g) { g.output("y", linear(g.input<f32>("x", {2}), "a", 1)); },
                             {{"x", {3, 4}}, {"a.weight", {{2, -1}}}, {"a.bias", {5}}});
  check_close(out.at("y"), {7});
}

TEST_CASE("matmul broadcasts leading axes", "[affine]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr a = g.input<f32>("a", {2, 1, 1, 2}), b = g.input<f32>("b", {3, 2, 2}),
                   c = g.input<f32>("c", {2, 2});
        g.output("ab", matmul(a, b));
        g.output("cb", matmul(c, b));
        g.output("cc", matmul(c, transpose(c)));
      },
      {{"a", {{{{1, 2}}}, {{{0, 1}}}}},
       {"b", {{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}, {{2, 3}, {4, 5}}}},
       {"c", {{1, 2}, {3, 4}}}});
  check_close(out.at("ab"), {{{{1, 2}}, {{2, 1}}, {{10, 13}}}, {{{0, 1}}, {{1, 0}}, {{4, 5}}}});
  check_close(out.at("cb"), {{{1, 2}, {3, 4}}, {{2, 1}, {4, 3}}, {{10, 13}, {22, 29}}});
  check_close(out.at("cc"), {{5, 11}, {11, 25}});
}

TEST_CASE("transpose exchanges the last two axes", "[affine]") {
  const auto out = run_graph(
      [](graph& g) {
        g.output("y", transpose(g.input<f32>("x", {2, 1, 3})));
      },
      {{"x", {{{1, 2, 3}}, {{4, 5, 6}}}}});
  check_close(out.at("y"), tensor({2, 3, 1}, {1, 2, 3, 4, 5, 6}));
}

TEST_CASE("gather takes rows of any shape", "[affine]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr ids = g.input<i32>("ids", {"B", "T"});
        g.output("rows", embedding(ids, "e", 3, 2));
        g.output("numbers", gather(g.input<f32>("numbers", {3}), ids));
        g.output("range", range(ids, dim("T") * 2 + 1));
        g.output("constant", constant(ids, 0.25));
      },
      {{"ids", {{2, 0}, {1, 2}}}, {"e.weight", {{1, 2}, {3, 4}, {5, 6}}}, {"numbers", {7, 8, 9}}});
  check_close(out.at("rows"), {{{5, 6}, {1, 2}}, {{3, 4}, {5, 6}}});
  check_close(out.at("numbers"), {{9, 7}, {8, 9}});
  check_close(out.at("range"), {0, 1, 2, 3, 4});
  CHECK(out.at("constant")() == 0.25);
}

TEST_CASE("an id outside the table names the op's place in the source", "[affine]") {
  const double id = GENERATE(3., -1.);
  const int line = __LINE__ + 1;
  const auto embed = [](graph& g) { g.output("y", embedding(g.input<i32>("ids", {"B"}), "e", 3, 2)); };
  CHECK_THROWS_WITH(run_graph(embed, {{"ids", {0, id}}, {"e.weight", {{1, 2}, {3, 4}, {5, 6}}}}),
                    "affine.cpp:" + std::to_string(line) + ": gather: expected ids from 0 to 2, found " +
                        std::to_string(static_cast<int>(id)));
}
