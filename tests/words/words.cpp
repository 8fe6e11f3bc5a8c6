#include "../compare_backends.hpp"

#include <limits>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

// Small models, one word each: the reference cases of single words, and for words without one the kernels
// against the specification, at sizes of one, primes and one more than a vector.

TEST_CASE("activations", "[words]") {
  check_case(model("activations",
                   [](graph& g) {
                     const expr x = g.input<f32>("x", {"N"});
                     const expr hard_sigmoid = where(abs(x) < 3.0, x / 6 + 0.5, to_float(x > 0.0));
                     g.output("gelu", gelu(x));
                     g.output("gelu_tanh", gelu_tanh(x));
                     g.output("quick_gelu", x * sigmoid(1.702 * x));
                     g.output("silu", silu(x));
                     g.output("softplus", softplus(x));
                     g.output("mish", mish(x));
                     g.output("elu", elu(x));
                     g.output("leaky_relu", leaky_relu(x));
                     g.output("hard_sigmoid", hard_sigmoid);
                     g.output("hard_swish", hardswish(x));
                     g.output("relu", relu(x));
                     g.output("sigmoid", sigmoid(x));
                     g.output("tanh", tanh(x));
                   }),
             "activations");
}

namespace {

constexpr name_rule norm_names[] = {{"norm.weight", "weight"}, {"norm.bias", "bias"}};

} // namespace

TEST_CASE("layer_norm and rms_norm", "[words]") {
  const std::string input = GENERATE("normal", "equal", "large", "offset", "small", "zero");
  check_case(model(
                 "layer_norm",
                 [](graph& g) {
                   g.output("y", layer_norm(g.input<f32>("x", {"B", 24}), "norm"));
                 },
                 norm_names),
             ("norm_layer_" + input).c_str());
  check_case(model(
                 "rms_norm",
                 [](graph& g) {
                   g.output("y", rms_norm(g.input<f32>("x", {"B", 24}), "norm"));
                 },
                 std::span(norm_names).first(1)),
             ("norm_rms_" + input).c_str());
}

TEST_CASE("group_norm of channels before time", "[words]") {
  check_case(model(
                 "group_norm",
                 [](graph& g) {
                   const expr x = permute(g.input<f32>("x", {"B", 12, "T"}), {0, 2, 1});
                   g.output("y", permute(group_norm(x, "norm", 4), {0, 2, 1}));
                 },
                 norm_names),
             "norm_group");
}

TEST_CASE("softmax and log_softmax", "[words]") {
  const std::string input = GENERATE("normal", "equal", "large", "offset");
  check_case(model("softmax",
                   [](graph& g) {
                     const expr x = g.input<f32>("x", {"B", 16});
                     g.output("softmax", softmax(x));
                     g.output("log_softmax", log_softmax(x));
                     g.output("logsumexp", log_sum_exp(x, -1));
                   }),
             ("softmax_" + input).c_str());
}

TEST_CASE("softmax of entries at -infinity; a row of them alone gives zeros", "[words]") {
  check_case(model("softmax",
                   [](graph& g) {
                     const expr x = g.input<f32>("x", {"B", 16}), seen = g.input<i32>("mask", {"B", 16}) == 1;
                     g.output("softmax", softmax(where(seen, x, -std::numeric_limits<double>::infinity())));
                   }),
             "softmax_masked");
}

namespace {

template <class F>
constexpr auto gated(F) {
  return model("gated", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 12}), z = g.input<f32>("z", {"B", 32});
    const expr gate = F{}(linear(x, "gate_proj", 16, {.bias = false}));
    g.output("y", linear(gate * linear(x, "up_proj", 16, {.bias = false}), "down_proj", 12, {.bias = false}));
    const auto [first, second] = split<2>(z);
    g.output("halves", first * sigmoid(second));
  });
}

} // namespace

TEST_CASE("gated units", "[words]") {
  check_case(gated([](expr x) { return sigmoid(x); }), "gated_glu");
  check_case(gated([](expr x) { return gelu(x); }), "gated_geglu");
  check_case(gated([](expr x) { return relu(x); }), "gated_reglu");
  check_case(gated([](expr x) { return silu(x); }), "gated_swiglu");
}

TEST_CASE("sinusoidal and learned positions", "[words]") {
  check_case(model("sinusoidal",
                   [](graph& g) {
                     const expr x = g.input<f32>("x", {"B", "T", 16});
                     const expr table = sinusoidal_positions(x);
                     g.output("table", table);
                     g.output("y", x * 4.0 + table);
                   }),
             "sinusoidal");
  check_case(model("learned",
                   [](graph& g) {
                     const expr ids = g.input<i32>("ids", {"B", "T"});
                     g.output("y", embedding(ids, "tokens", 20, 8) +
                                       learned_positions(ids, "positions", {.context = 12, .width = 8}));
                   }),
             "learned_positions");
}

namespace {

/// Rotary positions of queries and keys, head by head and with heads side by side.
template <int width, int turned, rope_pairing pairing, int offset, bool side_by_side>
constexpr auto rotary = model("rope", [](graph& g) {
  const auto of = [&](const char* input) {
    const rope_options options{
        .heads = side_by_side ? 2 : 1, .pairing = pairing, .width = turned, .offset = offset};
    const expr x = g.input<f32>(input, {"B", 2, "T", width});
    if (!side_by_side) return rope(x, options);
    const expr features = reshape(permute(x, {0, 2, 1, 3}), {"B", "T", 2 * width});
    return permute(reshape(rope(features, options), {"B", "T", 2, width}), {0, 2, 1, 3});
  };
  const expr q = of("q"), k = of("k");
  g.output("y_q", q);
  g.output("y_k", k);
  g.output("scores", matmul(q, transpose(k)));
});

} // namespace

TEST_CASE("rope", "[words]") {
  check_case(rotary<8, 8, halves, 0, false>, "rope_half_split");
  check_case(rotary<8, 8, neighbours, 0, true>, "rope_interleaved");
  check_case(rotary<16, 8, halves, 100, true>, "rope_half_split_offset_partial");
  check_case(rotary<16, 8, neighbours, 100, false>, "rope_interleaved_offset_partial");
}

namespace {

/// Attention of queries s over keys h, and Luong's attentional vector.
template <int query_width, int key_width, int out, bool padded, class F>
constexpr auto scored(F) {
  return model("score", [](graph& g) {
    const expr s = g.input<f32>("s", {"B", "T", query_width}), h = g.input<f32>("h", {"B", "S", key_width});
    attention_options options{.score = F{}()};
    if constexpr (padded) options.mask = padding(g.input<i32>("lengths", {"B"}));
    const expr context = attention(s, h, h, options);
    g.output("context", context);
    g.output("weights", reshape(last_attention_map(s), {"B", "T", "S"}));
    g.output("concat", concat(axis(-1), context, s));
    g.output("attentional", tanh(linear(s, "combine.W1", out, {.bias = false}) +
                                 linear(context, "combine.W2", out, {.bias = false})));
  });
}

} // namespace

TEST_CASE("scores of attention", "[words]") {
  check_case(scored<16, 16, 14, true>([] { return dot; }), "score_dot");
  check_case(scored<8, 8, 8, false>([] { return dot; }), "score_dot_one_query");
  check_case(scored<16, 12, 14, true>([] { return general("W_s"); }), "score_general");
  check_case(scored<16, 16, 14, true>([] { return scaled_dot; }), "score_scaled_dot");
}

TEST_CASE("words that move elements", "[words]") {
  compare_at_awkward_sizes(model("moves", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 5}), y = g.input<f32>("y", {"B", "S", 5});
    const expr ids = g.input<i32>("ids", {"B", "T"});
    g.output("permuted", permute(x, {2, 0, 1}));
    g.output("transposed", transpose(x) * 2);
    g.output("slice_features", slice(x, axis(-1), 1, 4));
    g.output("slice_time", slice(x, axis(1), 0, 1));
    g.output("slice_back", slice(x, axis(2), -2, -1) + 1);
    g.output("concat_time", concat(axis(1), x, y, x));
    g.output("concat_features", concat(axis(2), x, relu(x)));
    g.output("pad_time", pad(x, axis(1), 2, 1, -0.5));
    g.output("pad_features", pad(x, axis(-1), 0, 3));
    g.output("reverse_time", reverse(x, axis(1)));
    g.output("reverse_features", reverse(x, axis(-1)));
    g.output("broadcast", broadcast(unsqueeze(x, 1), {"B", 3, "T", 5}));
    g.output("ids_moved", permute(ids, {1, 0}));
    g.output("ids_joined", concat(axis(1), reverse(ids, axis(1)), pad(ids, axis(1), 1, 0, 4)));
  }));
}

TEST_CASE("comparisons, where and whole numbers", "[words]") {
  compare_at_awkward_sizes(model("whole", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 5}), y = g.input<f32>("y", {"T", 5});
    const expr i = g.input<i32>("i", {"B", "T"}), j = g.input<i32>("j", {"B", 1});
    g.output("larger", where(x > y, x, y * 2));
    g.output("between", where(x <= y && x >= -0.5, 1.0, x));
    g.output("not", where(!(x < y) || x != x, x, 3.0));
    g.output("sums", i + j * 2 - 3);
    g.output("quotients", (i - 3) / (j + 1));
    g.output("chosen", where(i == j, i, j - i));
    g.output("as_floats", to_float(i * j) * unsqueeze(to_float(j), 0) / 2);
    g.output("smaller", min(i, j) + max(i, 2));
    g.output("ahead", to_float(range(i, i.size(1)) < 3));
  }));
}

TEST_CASE("reductions over every axis", "[words]") {
  compare_at_awkward_sizes(model("reductions", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 9});
    g.output("sum_0", sum(x, axis(0)));
    g.output("sum_1", sum(x, axis(1)));
    g.output("sum_2", sum(x, axis(2), {.keep = true}));
    g.output("mean_0", mean(x, axis(0), {.keep = true}));
    g.output("mean_1", mean(x, axis(1)));
    g.output("mean_2", mean(x, axis(2)));
    g.output("max_0", max_over(x, axis(0)));
    g.output("max_1", max_over(x, axis(1), {.keep = true}));
    g.output("min_1", min_over(x, axis(1)));
    g.output("min_2", min_over(x, axis(2)));
    g.output("argmax_0", argmax(x, axis(0)));
    g.output("argmax_1", argmax(x, axis(1)));
    g.output("argmax_2", argmax(x, axis(2)));
    g.output("softmax_1", softmax(x, axis(1)));
    g.output("log_softmax_0", log_softmax(x, axis(0)));
  }));
}

TEST_CASE("products of computed values", "[words]") {
  compare_at_awkward_sizes(model("products", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 7}), y = g.input<f32>("y", {"B", "S", 7});
    const expr z = g.input<f32>("z", {7, 17}), four = g.input<f32>("four", {"B", 3, 7, "S"});
    g.output("scores", matmul(x, transpose(y)));
    g.output("shared_right", matmul(relu(x), z));
    g.output("broadcast_right", matmul(unsqueeze(x, 1), four));
    g.output("shared_left", matmul(transpose(z), transpose(y)));
    g.output("contracted", contract(x, y, 7));
    g.output("over_time", contract(x, g.input<f32>("w", {"B", "T", 3}), "T"));
    g.output("bilinear", bilinear(x, x * 2, "bilinear", 5));
  }));
}

TEST_CASE("norms with statistics, and losses", "[words]") {
  compare_at_awkward_sizes(model("norms", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 12}), y = g.input<f32>("y", {"B", "T", 12});
    const expr targets = g.input<i32>("targets", {"B", "T"});
    g.output("batch", batch_norm(x, "batch"));
    g.output("group", group_norm(x, "group", 3));
    g.output("cross_entropy", cross_entropy(x, targets));
    g.output("smoothed", cross_entropy(x, targets, {.ignore = 3, .smoothing = 0.1}));
    g.output("mse", mse(x, y));
  }));
}

TEST_CASE("attention with lambdas, captured tables, heads and batch rows", "[words]") {
  compare_at_awkward_sizes(model("lambdas", [](graph& g) {
    const expr q = g.input<f32>("q", {"B", "T", 12}), k = g.input<f32>("k", {"B", "S", 6}),
               v = g.input<f32>("v", {"B", "S", 10});
    const expr slopes = g.input<f32>("slopes", {4}), lengths = g.input<i32>("lengths", {"B"}),
               bias = g.input<f32>("bias", {4, "T", "S"});
    const attention_options heads{.heads = 4, .kv_heads = 2};
    const attention_score by_slope = [&](scalar s, scalar, scalar key, scalar head) {
      return s + at(slopes, head) * to_float(key);
    };
    const attention_mask parity = [](scalar query, scalar key) { return (query + key) % 2 == 0; };
    const attention_mask of_batch = [&](scalar, scalar key, scalar head, scalar batch) {
      return key + head < at(lengths, batch);
    };
    attention_options scored = heads, masked = heads, both = heads, biased = heads;
    scored.score = by_slope;
    masked.mask = parity & of_batch;
    both.score = by_slope, both.mask = parity | causal, both.bias = bias, both.soft_cap = 0.7;
    biased.bias = bias, biased.mask = padding(lengths);
    g.output("scored", attention(q, k, v, scored));
    g.output("masked", attention(q, k, v, masked));
    g.output("both", attention(q, k, v, both));
    g.output("biased", attention(q, k, v, biased));
    g.output("map", attention_map(q, k, v, both));
    g.output("map_masked", attention_map(q, k, v, masked));
    g.output("map_plain", attention_map(q, k, v, heads));
  }));
}

TEST_CASE("repeats: nested, swapping what they carry, and giving back what is not their own", "[words]") {
  compare_at_awkward_sizes(model("repeats", [](graph& g) {
    const expr x = g.input<f32>("x", {"B", "T", 6}), y = g.input<f32>("y", {"B", "T", 6});
    g.output("nested", repeat("outer", 2, x, [&](expr a) {
               const expr b =
                   repeat("inner", 3, tanh(a), [](expr c) { return c + linear(c, "mix", 6) * 0.1; });
               return a + b;
             }));
    const auto swapped =
        repeat("swap", 3, std::array<expr, 2>{x, y}, [](std::array<expr, 2> a) -> std::array<expr, 2> {
          return {a[1], tanh(linear(a[0], "turn", 6))};
        });
    g.output("first", swapped[0]);
    g.output("second", swapped[1]);
    const auto exchanged =
        repeat("exchange", 3, std::array<expr, 2>{x, y}, [](std::array<expr, 2> a) -> std::array<expr, 2> {
          return {a[1], a[0]};
        });
    g.output("exchanged_first", exchanged[0]);
    g.output("exchanged_second", exchanged[1] * 2);
    g.output("outside", repeat("outside", 2, x, [&](expr) { return y; }));
    g.output("same", repeat("same", 2, x, [](expr a) { return a; }) + 1);
  }));
}

TEST_CASE("one number beside a row that is cut into pieces", "[words]") {
  compare(model("pieces",
                [](graph& g) {
                  const expr x = g.input<f32>("x", {20001});
                  g.output("y", x * parameter(x, "scale", {1}) + 1.0);
                }),
          {});
}

TEST_CASE("positions of one feature that are cut into pieces", "[words]") {
  compare(model("one_feature",
                [](graph& g) {
                  const expr x = g.input<f32>("x", {"B", "T", 1});
                  g.output("y", tanh(x) * x);
                }),
          {{"B", 2}, {"T", 200001}});
}

namespace {
inline constexpr dim B{"B"}, T{"T"};
}

TEST_CASE("products of one value in two shapes are two products", "[words]") {
  compare_at_awkward_sizes(model("two_shapes", [](graph& g) {
    const expr x = g.input<f32>("x", {B, 8, 4});
    g.output("a", linear(x, "a", 16));
    g.output("b", linear(reshape(x, {B, 4, 8}), "b", 16));
    g.output("windows", conv1d(reshape(x, {B, 2, 16}), "windows", 5, 1));
  }));
  compare_at_awkward_sizes(gradients(model("summed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, 8, 4}), y = g.input<f32>("y", {B, 16, 4});
    g.output("z", linear(x, "a", 16) + reshape(linear(y, "b", 8), {B, 8, 16}));
  })));
}

TEST_CASE("tables stay as they are for the next call, and are the call's own where sizes make them",
          "[words]") {
  compare_at_awkward_sizes(model("taken_over", [](graph& g) {
    const expr x = g.input<f32>("x", {B, 4, 4}), ones = broadcast(constant(x, 1), {4, 4});
    g.output("y", matmul(x, ones));
    g.output("z", matmul(x, repeat("l", 2, ones, [](expr h) { return h * 2.0; })));
  }));
  compare_below(model("sliced",
                      [](graph& g) {
                        const expr x = g.input<f32>("x", {B, T, 4});
                        const expr table = reshape(sin(to_float(range(x, 64))), {16, 4});
                        g.output("y", matmul(x, slice(table, axis(0), T, T + 4)));
                      }),
                {{"B", 2}, {"T", 12}}, {{{"B", 1}, {"T", 1}}, {{"B", 2}, {"T", 7}}, {{"B", 2}, {"T", 12}}});
}

TEST_CASE("a constant is a value wherever it goes", "[words]") {
  compare_at_awkward_sizes(model("renamed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    g.output("y", x * stop_gradient(constant(x, 2.0)));
    g.output("dropped", x + dropout(constant(x, 3.0), 0.5));
    g.output("scanned", scan(x, zeros(x, {B, 4}), [](expr now, expr before) {
                          const expr next = before * stop_gradient(constant(now, 0.5)) + now;
                          return scan_step{next, next};
                        }).output);
  }));
  // A flag of the first step, whose last value nobody reads, or somebody.
  compare_at_awkward_sizes(model("flagged", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const auto flag = [](expr now, expr first) { return scan_step{now * first, constant(now, 0)}; };
    g.output("y", scan(x, constant(x, 1), flag).output);
    g.output("last", scan(tanh(x), constant(x, 1), flag).state + x);
    g.output("layers", x + repeat("layer", 3, constant(x, 1), [](expr h) { return constant(h, 2); }));
  }));
}

TEST_CASE("what is left of a division by floor, of floats too", "[words]") {
  constexpr auto m = model("remainders", [](graph& g) {
    const expr x = g.input<f32>("x", {6});
    g.output("y", map(x, [](scalar v) { return v % 1.5; }));
  });
  auto net = compile(m, core::model_weights::from({}));
  const xt::xtensor<float, 1> x{-2, -1.5f, -0.25f, 0, 1, 4};
  const std::vector<float> expected{1, 0, 1.25f, 0, 1, 1};
  const auto out = net("x"_in = x);
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(out["y"_out](i) == Approx(expected[i]).margin(1e-6));
}

TEST_CASE("a mask of large integers of a row reads each bit of them", "[words]") {
  constexpr auto m = model("documents", [](graph& g) {
    const expr q = g.input<f32>("q", {"B", "T", 4});
    const expr of_row = g.input<i32>("of_row", {"B"}), of_key = g.input<i32>("of_key", {"B", "T"});
    g.output("map",
             attention_map(q, q, q, {.mask = [of_row, of_key](scalar, scalar key, scalar, scalar batch) {
                             return at(of_row, batch) == at(of_key, batch, key);
                           }}));
  });
  auto net = compile(m, core::model_weights::from({}), {.capacity = {{"B", 2}, {"T", 3}}});
  const xt::xtensor<float, 3> q = xt::ones<float>({2, 3, 4});
  const xt::xtensor<int, 1> of_row{16777217, std::numeric_limits<int>::max()};
  const xt::xtensor<int, 2> of_key{{16777217, 16777216, 16777217}, {std::numeric_limits<int>::max(), 1, 0}};
  const auto out = net("q"_in = q, "of_row"_in = of_row, "of_key"_in = of_key);
  CHECK(out["map"_out](0, 0, 1, 0) == 0.5f);
  CHECK(out["map"_out](0, 0, 1, 1) == 0);
  CHECK(out["map"_out](1, 0, 2, 0) == 1);
}
