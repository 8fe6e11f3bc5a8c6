// Attention by other scores than products, and hard attention.

#include "../compare_backends.hpp"

#include <array>

using namespace fovea;
using namespace fovea::core::test;

TEST_CASE("additive scores and the largest of them agree with the reference case", "[attention]") {
  constexpr auto m = model("additive", [](graph& g) {
    const expr s = g.input<f32>("s", {"B", "T", 16}), h = g.input<f32>("h", {"B", "S", 12}),
               lengths = g.input<i32>("lengths", {"B"});
    // One network whose parameters all uses share.
    const expr e =
        sum(parameter(s, "v.weight", {1, 10}) * tanh(unsqueeze(linear(s, "W2", 10, {.bias = false}), 2) +
                                                     unsqueeze(linear(h, "W1", 10, {.bias = false}), 1)),
            axis(-1));
    const attend_options o{.mask = padding(lengths)}, choose{.mask = padding(lengths), .mode = hard};
    const expr context = attend(e, h, o);
    g.output("scores", e);
    g.output("weights", sum(attend_map(e, h, o), axis(1)));
    g.output("context", context);
    g.output("hard", sum(attend_map(e, h, choose), axis(1)));
    g.output("hard_context", attend(e, h, choose));
    g.output("concat", concat(axis(-1), context, s));
    const auto combine = scope(s, "combine");
    g.output("attentional",
             tanh(linear(s, "W1", 14, {.bias = false}) + linear(context, "W2", 14, {.bias = false})));
  });
  check_case(m, "score_additive");
}

TEST_CASE("a score by name is the network written out", "[attention]") {
  constexpr auto m = model("named", [](graph& g) {
    const expr q = g.input<f32>("q", {"B", "T", 6}), k = g.input<f32>("k", {"B", "S", 4});
    const expr named = attention(q, k, k, {.score = additive("w", 5)});
    const expr both = attention_map(q, k, k, {.score = concatenated("c", 5)});
    g.output("additive", named);
    g.output("concatenated", both);
    g.output("hard", attention(q, k, k, {.score = concatenated("d", 5), .mask = causal, .mode = hard}));
    g.output("heads", attention(q, q, q, {.heads = 3, .mask = causal, .mode = hard}));
  });
  compare(m, {{"B", 1}, {"T", 1}, {"S", 1}});
  compare(m, {{"B", 3}, {"T", 5}, {"S", 9}});
}

TEST_CASE("local attention hides far keys, whatever is added to scores", "[attention]") {
  constexpr auto m = model("near", [](graph& g) {
    const expr q = g.input<f32>("q", {"B", "T", 6});
    const attention_score sloped = [](scalar s, scalar i, scalar j) {
      return where(i < j, s - 0.5, 0.25 * (i - j) + s);
    };
    g.output("sloped", attention(q, q, q, {.heads = 2, .score = sloped, .mode = local_m(2)}));
    g.output("alibi", attention(q, q, q, {.heads = 2, .score = alibi(2), .mode = local_m(2)}));
    g.output("map", attention_map(q, q, q, {.heads = 2, .score = alibi(2), .mode = local_m(1)}));
  });
  compare(m, {{"B", 2}, {"T", 9}});
}

TEST_CASE("a score and a mask that read what they computed again and again", "[attention]") {
  constexpr auto m = model("repeated", [](graph& g) {
    const expr q = g.input<f32>("q", {"B", "T", 6}), k = g.input<f32>("k", {"B", "S", 6});
    const attention_score halved_sums = [](scalar s, scalar, scalar, scalar head) {
      scalar scale = head * 0.5 + 1;
      for (int i = 0; i < 5; ++i) s = (s + s) * 0.5, scale = (scale + scale) * 0.5;
      return s * scale;
    };
    const attention_mask near = [](scalar query, scalar key) {
      scalar shown = key <= query;
      for (int i = 0; i < 20; ++i) shown = shown && shown;
      return shown && query - key < 4;
    };
    const attention_mask odd = [](scalar query, scalar key) {
      scalar shown = (query + key) % 2 == 0;
      for (int i = 0; i < 20; ++i) shown = shown || shown;
      return shown;
    };
    g.output("near", attention(q, k, k, {.heads = 2, .score = halved_sums, .mask = near}));
    g.output("odd", attention(q, k, k, {.heads = 2, .score = halved_sums, .mask = odd}));
    g.output("map", attention_map(q, k, k, {.heads = 2, .score = halved_sums, .mask = odd}));
  });
  compare(m, {{"B", 2}, {"T", 5}, {"S", 9}});
}

namespace {

constexpr std::array monotonic_names{name_rule{"", "W_p.weight", naming::ignored},
                                     name_rule{"", "v_p.weight", naming::ignored}};
constexpr std::array predictive_names{name_rule{"local.hidden.weight", "W_p.weight"},
                                      name_rule{"local.score.weight", "v_p.weight"}};

/// Decoder states s [B, T, 12] over encoder outputs h [B, S, 12].
template <bool predicted, const auto& names>
constexpr auto local = model(
    "local",
    [](graph& g) {
      const expr s = g.input<f32>("s", {"B", "T", 12}), h = g.input<f32>("h", {"B", "S", 12}),
                 lengths = g.input<i32>("lengths", {"B"});
      const attention_options o{.score = general("W_a"),
                                .mask = padding(lengths),
                                .mode = predicted ? local_p("local", 8, 3, lengths) : local_m(2)};
      const expr weights = sum(attention_map(s, h, h, o), axis(1));
      g.output("weights", weights);
      g.output("context", matmul(weights, h));
    },
    names);

/// The same of scores, around centres that were computed before, and without the Gaussian.
constexpr auto around = model("around", [](graph& g) {
  const expr s = g.input<f32>("s", {"B", "T", 12}), h = g.input<f32>("h", {"B", "S", 12}),
             lengths = g.input<i32>("lengths", {"B"});
  const expr scores = matmul(matmul(s, parameter(s, "W_a.weight", {12, 12})), transpose(h));
  const expr share = sigmoid(linear(tanh(linear(s, "W_p", 8, {.bias = false})), "v_p", 1, {.bias = false}));
  const expr p = unsqueeze(to_float(lengths), 1) * reshape(share, {s.size(0), s.size(1)});
  const attend_options o{.mask = padding(lengths), .mode = local_m(3, p)};
  const expr weights = sum(attend_map(scores, h, o), axis(1));
  const expr distance = to_float(range(s, h.size(1))) - unsqueeze(p, 2);
  const expr fallen = weights * exp(distance * distance * (-2.0 / 9));
  g.output("p", p);
  g.output("weights", fallen);
  g.output("context", matmul(fallen, h));
});

} // namespace

TEST_CASE("local attention agrees with the reference cases", "[attention]") {
  check_case(local<false, monotonic_names>, "local_monotonic");
  check_case(local<true, predictive_names>, "local_predictive");
  check_case(around, "local_predictive");
}

TEST_CASE("local attention of heads, scores by networks and sequences without a batch", "[attention]") {
  constexpr auto m = model("local_forms", [](graph& g) {
    const expr q = g.input<f32>("q", {"B", "T", 6}), k = g.input<f32>("k", {"B", "S", 6}),
               bias = g.input<f32>("bias", {3, "T", "S"}), one = g.input<f32>("one", {"T", 4});
    const expr again = q * 1.5;
    g.output("heads", attention(q, k, k, {.heads = 3, .bias = bias, .mode = local_m(2)}));
    g.output("predicted", attention(q, k, k, {.heads = 2, .mode = local_p("p", 5, 2)}));
    g.output("network", attention(q, k, k, {.score = additive("w", 5), .mode = local_m(1)}));
    g.output("plain", attention(one, one, one, {.mask = causal, .mode = local_m(3)}));
    g.output("scores", attend(matmul(q, transpose(again)), again, {.mode = local_m(1)}));
    g.output("biased_network",
             attention(q, k, k, {.score = additive("v", 5), .bias = slice(bias, axis(0), 0, 1)}));
  });
  compare(m, {{"B", 1}, {"T", 1}, {"S", 1}});
  compare(m, {{"B", 3}, {"T", 5}, {"S", 9}});
}

TEST_CASE("a bias may be the same for all keys", "[attention]") {
  compare_at_awkward_sizes(model("biased", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 12}), of_batch = g.input<f32>("of_batch", {"B", 1, 1, 1});
    const auto with = [&](const char* name, expr bias, double cap) {
      g.output(name, attention(x, tanh(x), x, {.heads = 3, .bias = bias, .soft_cap = cap}));
    };
    with("of_heads", parameter(x, "b", {3, 1, 1}), 5);
    with("of_one", parameter(x, "one", {1}), 5);
    with("of_none", constant(x, 0.5), 2);
    with("of_batch", of_batch, 2);
    with("of_queries", unsqueeze(linear(x, "query", 1), 1), 5);
    with("uncapped", parameter(x, "c", {3, 1, 1}), 0);
  }));
}
