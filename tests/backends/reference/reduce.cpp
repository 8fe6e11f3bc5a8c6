#include "run_graph.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

constexpr dim B{"B"}, T{"T"};

const named_arrays given{{"x", {{{1, 8}, {3, 3}, {5, 5}}, {{7, 2}, {5, -4}, {7, 6}}}}}; // [2, 3, 2]

} // namespace

TEST_CASE("reductions over the first, a middle and the last axis", "[reduce]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {B, T, 2});
        g.output("sum0", sum(x, B));
        g.output("sum1", sum(x, T));
        g.output("sum2", sum(x, axis(-1)));
        g.output("mean", mean(x, T));
        g.output("max", max_over(x, T));
        g.output("min", min_over(x, B));
      },
      given);
  check_close(out.at("sum0"), {{8, 10}, {8, -1}, {12, 11}});
  check_close(out.at("sum1"), {{9, 16}, {19, 4}});
  check_close(out.at("sum2"), {{9, 6, 10}, {9, 1, 13}});
  check_close(out.at("mean"), {{3, 16.0 / 3}, {19.0 / 3, 4.0 / 3}});
  check_close(out.at("max"), {{5, 8}, {7, 6}});
  check_close(out.at("min"), {{1, 2}, {3, -4}, {5, 5}});
}

TEST_CASE("argmax gives the first of equals", "[reduce]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {B, T, 2});
        g.output("times", argmax(x, T));
        g.output("features", argmax(x, axis(2)));
      },
      given);
  check_close(out.at("times"), {{2, 0}, {0, 2}});
  check_close(out.at("features"), {{1, 0, 0}, {0, 0, 0}});
}

TEST_CASE("a kept axis has size 1", "[reduce]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {B, T, 2});
        g.output("sum", sum(x, T, {.keep = true}));
        g.output("argmax", argmax(x, B, {.keep = true}));
      },
      given);
  check_close(out.at("sum"), {{{9, 16}}, {{19, 4}}});
  check_close(out.at("argmax"), {{{1, 0}, {1, 0}, {1, 1}}});
}
