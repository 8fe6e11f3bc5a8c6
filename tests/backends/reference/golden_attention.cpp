#include "run_graph.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

struct qkv {
  expr query, key, value;
};

/// x or memory projected by q_proj, k_proj and v_proj, as most attention cases do.
qkv projected(graph& g, const golden_case& c) {
  const auto& config = c.config();
  const int heads = config["heads"], kv_heads = config.value("kv_heads", heads), width = config["head_dim"];
  const linear_options options{.bias = config.value("bias", false)};
  const int dim_of_x = config["dim"];
  const expr x = g.input<f32>("x", {"B", "T", dim_of_x});
  const expr memory =
      c.has("input.memory") ? g.input<f32>("memory", {"B", "S", config["memory_dim"].get<int>()}) : x;
  return {linear(x, "q_proj", heads * width, options), linear(memory, "k_proj", kv_heads * width, options),
          linear(memory, "v_proj", kv_heads * width, options)};
}

attention_mask mask_of(graph& g, const golden_case& c) {
  const auto& config = c.config();
  attention_mask visible;
  if (config.value("causal", false)) visible = visible & causal;
  if (config.contains("window")) visible = visible & window(config["window"].get<int>());
  if (config.contains("prefix")) visible = causal | prefix(g.input<i32>("prefix", {"B"}));
  if (config.contains("lengths")) visible = visible & padding(g.input<i32>("lengths", {"B"}));
  return visible;
}

attention_options options_of(graph& g, const golden_case& c) {
  const auto& config = c.config();
  attention_options options{.heads = config["heads"],
                            .kv_heads = config.value("kv_heads", 0),
                            .mask = mask_of(g, c),
                            .soft_cap = config.value("softcap", 0.0)};
  if (!config.value("scale", true)) options.score = dot;
  if (config.value("alibi", false)) options.score = alibi(options.heads);
  return options;
}

} // namespace

TEST_CASE("attention of projected queries, keys and values agrees with the reference cases", "[attention]") {
  const std::string name = GENERATE("causal", "padding", "cross", "alibi", "window", "gqa", "multi_query",
                                    "softcap", "prefix", "single_scaled", "single_unscaled", "long");
  const golden_case c("attention_" + name);
  const auto out = run_graph(
      [&](graph& g) {
        const auto [q, k, v] = projected(g, c);
        const attention_options options = options_of(g, c);
        const expr y = attention(q, k, v, options);
        g.output("y", linear(y, "o_proj", c.config()["dim"].get<int>(),
                             {.bias = c.config().value("bias", false)}));
        g.output("weights", attention_map(q, k, v, options));
      },
      arrays_of(c));
  check(c, "output.y", out.at("y"));
  check(c, "output.weights", out.at("weights"));
}

TEST_CASE("self-attention without parameters agrees with the reference case", "[attention]") {
  const golden_case c("self_attention_free");
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"B", "T", 8});
        g.output("y", attention(x, x, x, {.score = dot}));
        g.output("weights", reshape(attention_map(x, x, x, {.score = dot}), {"B", "T", "T"}));
      },
      arrays_of(c));
  check(c, "output.y", out.at("y"));
  check(c, "output.weights", out.at("weights"));
}

TEST_CASE("PyTorch's multi-head attention agrees with the reference cases", "[attention]") {
  const std::string name = GENERATE("mha_torch", "mha_torch_causal_padded", "mha_torch_cross");
  const golden_case c(name);
  const int width = c.config()["dim"];
  const auto out = run_graph(
      [&](graph& g) {
        const expr x = g.input<f32>("x", {"B", "T", width});
        const bool cross = c.has("input.memory");
        const int memory_width = cross ? c.config()["memory_dim"].get<int>() : width;
        const expr memory = cross ? g.input<f32>("memory", {"B", "S", memory_width}) : x;
        const expr bias = parameter(x, "in_proj_bias", {3 * width});
        const expr stacked = cross ? expr{} : parameter(x, "in_proj_weight", {3 * width, width});
        const auto project = [&](expr from, int part, const char* own_weight, int in) {
          const expr weight = cross ? parameter(x, own_weight, {width, in})
                                    : slice(stacked, axis(0), part * width, (part + 1) * width);
          return matmul(from, transpose(weight)) + slice(bias, axis(0), part * width, (part + 1) * width);
        };
        const expr q = project(x, 0, "q_proj_weight", width),
                   k = project(memory, 1, "k_proj_weight", memory_width),
                   v = project(memory, 2, "v_proj_weight", memory_width);
        const attention_options options = options_of(g, c);
        g.output("y", linear(attention(q, k, v, options), "out_proj", width));
        g.output("weights", attention_map(q, k, v, options));
      },
      arrays_of(c));
  check(c, "output.y", out.at("y"));
  check(c, "output.weights", out.at("weights"));
}

TEST_CASE("Luong's scores agree with the reference cases", "[attention]") {
  const std::string name = GENERATE("score_dot", "score_dot_one_query", "score_general", "score_scaled_dot");
  const golden_case c(name);
  const auto& config = c.config();
  const auto out = run_graph(
      [&](graph& g) {
        const int query_width = config["query_dim"], key_width = config["key_dim"], width = config["out"];
        const expr s = g.input<f32>("s", {"B", "T", query_width}),
                   h = g.input<f32>("h", {"B", "S", key_width});
        // general makes its matrix when it is used: here once, for the scores, and then q W is scored by dot.
        const expr q = config["score"] == "general"
                           ? matmul(s, parameter(s, "W_s.weight", {query_width, key_width}))
                           : s;
        const attention_options options{.score = config["score"] == "scaled_dot" ? scaled_dot : dot,
                                        .mask = mask_of(g, c)};
        const double scale =
            config["score"] == "scaled_dot" ? 1 / std::sqrt(static_cast<double>(key_width)) : 1;
        const expr context = attention(q, h, h, options);
        const expr combined = tanh(linear(s, "combine.W1", width, {.bias = false}) +
                                   linear(context, "combine.W2", width, {.bias = false}));
        const expr weights = reshape(attention_map(q, h, h, options), {"B", "T", "S"});
        g.output("scores", matmul(q, transpose(h)) * scale);
        g.output("weights", weights);
        g.output("context", context);
        g.output("concat", concat(axis(-1), context, s));
        g.output("attentional", combined);
        g.output("chosen", argmax(weights, axis(-1), {.keep = true}) == range(s, "S"));
      },
      arrays_of(c));
  for (const std::string output : {"scores", "weights", "context", "concat", "attentional"})
    check(c, "output." + output, out.at(output));
  check(c, "output.hard", out.at("chosen"));
}

TEST_CASE("the score general(\"w\") makes and uses its matrix", "[attention]") {
  const golden_case c("score_general");
  const auto out = run_graph(
      [&](graph& g) {
        const expr s = g.input<f32>("s", {"B", "T", 16}), h = g.input<f32>("h", {"B", "S", 12});
        g.output("context", attention(s, h, h, {.score = general("W_s"), .mask = mask_of(g, c)}));
      },
      arrays_of(c));
  check(c, "output.context", out.at("context"));
}
