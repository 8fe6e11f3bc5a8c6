#include "run_graph.hpp"

#include <cmath>
#include <limits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

TEST_CASE("layer_norm of a row", "[norm]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {2, 2});
        g.output("plain", layer_norm(x, "a", {.epsilon = 3, .affine = false}));
        g.output("weighted", layer_norm(x, "b", {.epsilon = 3, .bias = false}));
        g.output("shifted", layer_norm(x, "c", {.epsilon = 3}));
      },
      {{"x", {{1, 3}, {5, 5}}}, {"b.weight", {2, 4}}, {"c.weight", {2, 4}}, {"c.bias", {10, 20}}});
  check_close(out.at("plain"), {{-0.5, 0.5}, {0, 0}}); // variance 1, and 0
  check_close(out.at("weighted"), {{-1, 2}, {0, 0}});
  check_close(out.at("shifted"), {{9, 22}, {10, 20}});
}

TEST_CASE("layer_norm over two axes together", "[norm]") {
  const auto out = run_graph(
      [](graph& g) {
        g.output("y",
                 layer_norm(g.input<f32>("x", {2, 1, 2}), "n", {.epsilon = 3, .axes = {axis(0), axis(2)}}));
      },
      {{"x", {{{1, 3}}, {{1, 3}}}}, {"n.weight", {{1, 2}, {3, 4}}}, {"n.bias", {{0, 0}, {0, 1}}}});
  check_close(out.at("y"), {{{-0.5, 1}}, {{-1.5, 3}}});
}

TEST_CASE("rms_norm of a row", "[norm]") {
  const auto out = run_graph(
      [](graph& g) {
        g.output("y", rms_norm(g.input<f32>("x", {1, 2}), "n", {.epsilon = 3.5}));
      },
      {{"x", {{3, 4}}}, {"n.weight", {1, 2}}}); // mean square 12.5
  check_close(out.at("y"), {{0.75, 2}});
}

TEST_CASE("batch_norm uses the statistics of training", "[norm]") {
  const auto out = run_graph(
      [](graph& g) {
        g.output("y", batch_norm(g.input<f32>("x", {2, 2}), "n", {.epsilon = 1}));
      },
      {{"x", {{1, 2}, {3, 4}}},
       {"n.weight", {1, 2}},
       {"n.bias", {0, 1}},
       {"n.running_mean", {1, 0}},
       {"n.running_var", {3, 15}}});
  check_close(out.at("y"), {{0, 2}, {1, 3}});
}

TEST_CASE("group_norm normalises a group of features over all places", "[norm]") {
  const auto out = run_graph(
      [](graph& g) {
        g.output("y", group_norm(g.input<f32>("x", {"B", "T", 4}), "n", 2, {.epsilon = 3}));
      },
      {{"x", {{{1, 3, 0, 0}, {3, 1, 0, 0}}, {{0, 0, 2, 2}, {0, 0, 4, 4}}}},
       {"n.weight", {2, 2, 2, 4}},
       {"n.bias", {0, 0, 0, 1}}});
  check_close(out.at("y"), {{{-1, 1, 0, 1}, {1, -1, 0, 1}}, {{0, 0, -1, -1}, {0, 0, 1, 3}}});
}

TEST_CASE("softmax and log_softmax along each axis", "[norm]") {
  const double log3 = std::log(3.0), infinity = std::numeric_limits<double>::infinity();
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {2, 2});
        g.output("rows", softmax(x));
        g.output("columns", softmax(x, axis(0)));
        g.output("logs", log_softmax(x));
      },
      {{"x", {{1000, 1000 + log3}, {1000, -infinity}}}});
  check_close(out.at("rows"), {{0.25, 0.75}, {1, 0}});
  check_close(out.at("columns"), {{0.5, 1}, {0.5, 0}});
  CHECK(out.at("logs")(0, 0) == Approx(-std::log(4.0)).margin(1e-12));
  CHECK(out.at("logs")(0, 1) == Approx(-std::log(4.0 / 3)).margin(1e-12));
  CHECK(out.at("logs")(1, 0) == 0);
  CHECK(out.at("logs")(1, 1) == -infinity);
}

TEST_CASE("softmax of -infinity alone gives zeros", "[norm]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto out = run_graph([](graph& g) { g.output("y", softmax(g.input<f32>("x", {2}))); },
                             {{"x", {-infinity, -infinity}}});
  check_close(out.at("y"), {0, 0});
}
