#include "run_graph.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

TEST_CASE("functions of one element", "[elementwise]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"N"});
        g.output("negate", -x);
        g.output("exp", exp(x));
        g.output("abs", abs(x));
        g.output("sqrt", sqrt(abs(x)));
        g.output("log", log(x + 3));
        g.output("relu", relu(x));
        g.output("gelu", gelu(x));
        g.output("gelu_tanh", gelu_tanh(x));
        g.output("silu", silu(x));
        g.output("sigmoid", sigmoid(x));
        g.output("tanh", tanh(x));
        g.output("softplus", softplus(x));
        g.output("erf", erf(x));
        g.output("sin", sin(x));
        g.output("cos", cos(x));
        g.output("floor", floor(x));
      },
      {{"x", {-1.5, 0, 1}}});
  check_close(out.at("negate"), {1.5, 0, -1});
  check_close(out.at("exp"), {0.22313016014842982, 1, 2.718281828459045});
  check_close(out.at("abs"), {1.5, 0, 1});
  check_close(out.at("sqrt"), {1.224744871391589, 0, 1});
  check_close(out.at("log"), {0.4054651081081644, 1.0986122886681098, 1.3862943611198906});
  check_close(out.at("relu"), {0, 0, 1});
  check_close(out.at("gelu"), {-0.10021080190328621, 0, 0.8413447460685429});
  check_close(out.at("gelu_tanh"), {-0.10042842301976707, 0, 0.8411919906082768});
  check_close(out.at("silu"), {-0.2736382857095345, 0, 0.7310585786300049});
  check_close(out.at("sigmoid"), {0.1824255238063563, 0.5, 0.7310585786300049});
  check_close(out.at("tanh"), {-0.905148253644866, 0, 0.7615941559557649});
  check_close(out.at("softplus"), {0.2014132779827524, 0.6931471805599453, 1.3132616875182228});
  check_close(out.at("erf"), {-0.9661051464753108, 0, 0.8427007929497149});
  check_close(out.at("sin"), {-0.9974949866040544, 0, 0.8414709848078965});
  check_close(out.at("cos"), {0.0707372016677029, 1, 0.5403023058681398});
  check_close(out.at("floor"), {-2, 0, 1});
}

TEST_CASE("large elements neither overflow nor become NaN", "[elementwise]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"N"});
        g.output("softplus", softplus(x));
        g.output("sigmoid", sigmoid(x));
        g.output("silu", silu(x));
        g.output("gelu", gelu(x));
        g.output("gelu_tanh", gelu_tanh(x));
      },
      {{"x", {-1e5, 1e5}}});
  for (const std::string name : {"softplus", "silu", "gelu", "gelu_tanh"})
    check_close(out.at(name), {0, 1e5});
  check_close(out.at("sigmoid"), {0, 1});
}

TEST_CASE("outside training dropout and stop_gradient are their operand", "[elementwise]") {
  const auto out =
      run_graph([](graph& g) { g.output("y", stop_gradient(dropout(g.input<f32>("x", {"N"}), 0.5))); },
                {{"x", {1, -2}}});
  check_close(out.at("y"), {1, -2});
}

TEST_CASE("functions of two elements broadcast trailing axes", "[elementwise]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr column = g.input<f32>("column", {2, 1}), row = g.input<f32>("row", {3});
        g.output("sum", column + row);
        g.output("difference", row - column);
        g.output("product", column * row);
        g.output("quotient", column / row);
        g.output("power", pow(row, column));
        g.output("max", max(column, row));
        g.output("min", min(column, row));
        g.output("half", 1 / row);
      },
      {{"column", tensor({2, 1}, {2, 3})}, {"row", {1, 2, 4}}});
  check_close(out.at("sum"), {{3, 4, 6}, {4, 5, 7}});
  check_close(out.at("difference"), {{-1, 0, 2}, {-2, -1, 1}});
  check_close(out.at("product"), {{2, 4, 8}, {3, 6, 12}});
  check_close(out.at("quotient"), {{2, 1, 0.5}, {3, 1.5, 0.75}});
  check_close(out.at("power"), {{1, 4, 16}, {1, 8, 64}});
  check_close(out.at("max"), {{2, 2, 4}, {3, 3, 4}});
  check_close(out.at("min"), {{1, 2, 2}, {1, 2, 3}});
  check_close(out.at("half"), {1, 0.5, 0.25});
}

TEST_CASE("integers divide with floor", "[elementwise]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<i32>("x", {"N"});
        g.output("halves", x / 2);
        g.output("negative", x / -2);
        g.output("exact", x / 2.0);
        g.output("float", to_float(x) / 2);
      },
      {{"x", {-7, -8, 7, 0}}});
  check_close(out.at("halves"), {-4, -4, 3, 0});
  check_close(out.at("negative"), {3, 4, -4, 0});
  check_close(out.at("exact"), {-3.5, -4, 3.5, 0});
  check_close(out.at("float"), {-3.5, -4, 3.5, 0});
}

TEST_CASE("comparisons, logic and where", "[elementwise]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {3});
        g.output("less", x < 2);
        g.output("less_equal", x <= 2);
        g.output("greater", x > 2);
        g.output("equal", x == 2);
        g.output("unequal", x != 2);
        g.output("between", x > 1 && x < 3);
        g.output("outside", x <= 1 || !(x < 3));
        g.output("chosen", where(x < 2, x, g.input<f32>("column", {2, 1})));
        g.output("number", to_float(x == 2));
      },
      {{"x", {1, 2, 3}}, {"column", tensor({2, 1}, {10, 20})}});
  check_close(out.at("less"), {1, 0, 0});
  check_close(out.at("less_equal"), {1, 1, 0});
  check_close(out.at("greater"), {0, 0, 1});
  check_close(out.at("equal"), {0, 1, 0});
  check_close(out.at("unequal"), {1, 0, 1});
  check_close(out.at("between"), {0, 1, 0});
  check_close(out.at("outside"), {1, 0, 1});
  check_close(out.at("chosen"), {{1, 10, 10}, {1, 20, 20}});
  check_close(out.at("number"), {0, 1, 0});
}
