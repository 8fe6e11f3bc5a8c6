#include "run_graph.hpp"

#include <limits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

TEST_CASE("activations agree with the reference case", "[elementwise]") {
  const golden_case c("activations");
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"N"});
        const expr hard_sigmoid = min(max(x / 6 + 0.5, 0.0), 1.0);
        g.output("gelu", gelu(x));
        g.output("gelu_tanh", gelu_tanh(x));
        g.output("quick_gelu", x * sigmoid(1.702 * x));
        g.output("silu", silu(x));
        g.output("softplus", softplus(x));
        g.output("mish", x * tanh(softplus(x)));
        g.output("elu", where(x > 0.0, x, exp(min(x, 0.0)) - 1.0));
        g.output("leaky_relu", max(x, 0.01 * x));
        g.output("hard_sigmoid", hard_sigmoid);
        g.output("hard_swish", x * hard_sigmoid);
        g.output("relu", relu(x));
        g.output("sigmoid", sigmoid(x));
        g.output("tanh", tanh(x));
      },
      arrays_of(c));
  for (const auto& [name, values] : out) check(c, "output." + name, values);
}

TEST_CASE("layer_norm and rms_norm agree with the reference cases", "[norm]") {
  const std::string kind = GENERATE("layer", "rms");
  const std::string input = GENERATE("normal", "equal", "large", "offset", "small", "zero");
  const golden_case c("norm_" + kind + "_" + input);
  std::map<std::string, std::string> renamed{{"norm.weight", "param.weight"}};
  if (kind == "layer") renamed["norm.bias"] = "param.bias";
  const auto out = run_graph(
      [&](graph& g) {
        const expr x = g.input<f32>("x", {"B", 24});
        g.output("y", kind == "layer" ? layer_norm(x, "norm") : rms_norm(x, "norm"));
      },
      arrays_of(c, renamed));
  check(c, "output.y", out.at("y"));
}

TEST_CASE("group_norm agrees with the reference case, whose channels come before time", "[norm]") {
  const golden_case c("norm_group");
  const auto out = run_graph(
      [](graph& g) {
        const expr x = permute(g.input<f32>("x", {"B", 12, "T"}), {0, 2, 1});
        g.output("y", permute(group_norm(x, "norm", 4), {0, 2, 1}));
      },
      arrays_of(c, {{"norm.weight", "param.weight"}, {"norm.bias", "param.bias"}}));
  check(c, "output.y", out.at("y"));
}

TEST_CASE("softmax and log_softmax agree with the reference cases", "[norm]") {
  const std::string input = GENERATE("normal", "equal", "large", "offset");
  const golden_case c("softmax_" + input);
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"B", 16});
        const expr largest = max_over(x, axis(-1), {.keep = true});
        g.output("softmax", softmax(x));
        g.output("log_softmax", log_softmax(x));
        g.output("logsumexp", max_over(x, axis(-1)) + log(sum(exp(x - largest), axis(-1))));
      },
      arrays_of(c));
  for (const auto& [name, values] : out) check(c, "output." + name, values);
}

TEST_CASE("softmax of entries at -infinity agrees with the reference case; a row of them alone gives zeros",
          "[norm]") {
  const golden_case c("softmax_masked");
  auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"B", 16}), visible = g.input<i32>("mask", {"B", 16}) == 1;
        const expr masked = where(visible, x, -std::numeric_limits<double>::infinity());
        g.output("softmax", softmax(masked));
        g.output("log_softmax", log_softmax(masked));
      },
      arrays_of(c));
  check(c, "output.softmax", out.at("softmax"));
  array logs = out.at("log_softmax");
  for (double& x : logs)
    if (std::isnan(x)) x = 0; // as the case writes the rows that have no logarithm
  check(c, "output.log_softmax", logs);
}

TEST_CASE("gated units agree with the reference cases", "[affine]") {
  const std::string form = GENERATE("glu", "geglu", "reglu", "swiglu");
  const golden_case c("gated_" + form);
  const auto out = run_graph(
      [&](graph& g) {
        const expr x = g.input<f32>("x", {"B", "T", 12}), z = g.input<f32>("z", {"B", 32});
        const expr gate = linear(x, "gate_proj", 16, {.bias = false}),
                   up = linear(x, "up_proj", 16, {.bias = false});
        const expr gated = form == "glu"     ? sigmoid(gate)
                           : form == "geglu" ? gelu(gate)
                           : form == "reglu" ? relu(gate)
                                             : silu(gate);
        const auto [first, second] = split<2>(z);
        g.output("y", linear(gated * up, "down_proj", 12, {.bias = false}));
        g.output("halves", first * sigmoid(second));
      },
      arrays_of(c));
  check(c, "output.y", out.at("y"));
  check(c, "output.halves", out.at("halves"));
}

TEST_CASE("sinusoidal positions agree with the reference case", "[position]") {
  const golden_case c("sinusoidal");
  const auto out = run_graph(
      [&](graph& g) {
        const expr x = g.input<f32>("x", {"B", "T", 16});
        const expr table = sinusoidal_positions(x);
        g.output("table", table);
        g.output("y", x * c.config()["scale"].get<double>() + table);
      },
      arrays_of(c));
  check(c, "output.table", out.at("table"));
  check(c, "output.y", out.at("y"));
}

TEST_CASE("learned positions agree with the reference case", "[position]") {
  const golden_case c("learned_positions");
  const auto out = run_graph(
      [](graph& g) {
        const expr ids = g.input<i32>("ids", {"B", "T"});
        g.output("y", embedding(ids, "tokens", 20, 8) +
                          learned_positions(ids, "positions", {.context = 12, .width = 8}));
      },
      arrays_of(c));
  check(c, "output.y", out.at("y"));
}

TEST_CASE("rope agrees with the reference cases, head by head and with heads side by side", "[position]") {
  const std::string name =
      GENERATE("half_split", "half_split_offset_partial", "interleaved", "interleaved_offset_partial");
  const bool side_by_side = GENERATE(false, true);
  const golden_case c("rope_" + name);
  const auto& config = c.config();
  const auto out = run_graph(
      [&](graph& g) {
        const int heads = config["heads"], width = config["head_dim"];
        const rope_options options{.heads = side_by_side ? heads : 1,
                                   .pairing = config["interleaved"].get<bool>() ? neighbours : halves,
                                   .width = config.value("rotary_dim", 0),
                                   .offset = config.value("offset", 0)};
        const auto turned = [&](const char* input) {
          const expr x = g.input<f32>(input, {"B", heads, "T", width});
          if (!side_by_side) return rope(x, options);
          const expr features = reshape(permute(x, {0, 2, 1, 3}), {"B", "T", heads * width});
          return permute(reshape(rope(features, options), {"B", "T", heads, width}), {0, 2, 1, 3});
        };
        const expr q = turned("q"), k = turned("k");
        g.output("y_q", q);
        g.output("y_k", k);
        g.output("scores", matmul(q, transpose(k)));
      },
      arrays_of(c));
  for (const auto& [output, values] : out) check(c, "output." + output, values);
}
