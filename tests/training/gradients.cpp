// The gradient of every word, against difference quotients at awkward sizes, and kernels against the
// specification.

#include "gradient_case.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr auto elementwise = model("elementwise", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 5}), y = g.input<f32>("y", {5}), positive = exp(x);
  expr all = exp(x) + log(positive) - sqrt(positive + 1.0) * abs(x) / (2.0 + relu(y));
  all =
      all + gelu(x) * gelu_tanh(x) + silu(x) - sigmoid(y) + tanh(x) * softplus(x) + erf(x) + sin(x) * cos(x);
  all = dropout(all, 0.5) + pow(positive, y) + max(x, y) * min(x, y) + where(x < y, x * x, -y);
  g.output("all", all);
});

constexpr auto composed = model("composed", [](graph& g) {
  const expr x = 4 * g.input<f32>("x", {B, T, 5}), y = g.input<f32>("y", {B, T, 5});
  g.output("activations", elu(x, 0.7) + leaky_relu(x, 0.2) * mish(x) - hardswish(x));
  g.output("clamped", clamp(x, -1.5, y) + clamp(x, y, y + 1) * y);
  g.output("as they are", to_float(x * y) + x);
  g.output("log_sum_exp", log_sum_exp(x, -1));
  g.output("over_time", log_sum_exp(x, T, {.keep = true}));
  g.output("variance", variance(x, -1));
  g.output("of_themselves", variance(x, T, {.keep = true, .correction = 0}));
  g.output("stacked", stack(1, x, y, x * y));
  g.output("rolled", roll(x, -1, 2) * roll(y, -1, -1));
});

constexpr auto composed_losses = model("composed_losses", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 7}), y = g.input<f32>("y", {B, T, 7});
  const expr h = 3 * linear(x, "h", 7), targets = g.input<i32>("targets", {B, T});
  const expr each = cross_entropy(h, targets, {.ignore = 3, .each = true});
  g.output("each", each * each);
  g.output("binary", binary_cross_entropy(h, sigmoid(y)));
  g.output("binary_sum", binary_cross_entropy(h, sigmoid(y), {.average = false}));
  g.output("huber", huber(h, y, {.delta = 0.4}));
  g.output("huber_each", huber(h, y, {.each = true}));
  g.output("relative", kl_divergence(log_softmax(h), softmax(y)));
  g.output("relative_each", kl_divergence(log_softmax(h), softmax(y), {.each = true}));
});

constexpr auto affine = model("affine", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5}), y = g.input<f32>("y", {B, 5, T}),
             z = g.input<f32>("z", {5, 7});
  const expr h = linear(x, "a", 7);
  const expr tied = parameter(x, "table", {7, 5}), ids = g.input<i32>("ids", {B, T});
  g.output("p", matmul(h, transpose(matmul(x, z))));
  g.output("q", matmul(x, y));
  g.output("r", matmul(gather(tied, ids), transpose(tied)));
});

constexpr auto two_maps = model("two_maps", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 5});
  g.output("y", linear(tanh(linear(x, "a", 19)), "b", 7));
});

constexpr auto norms = model("norms", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  g.output("layer", layer_norm(x, "layer"));
  g.output("rms", rms_norm(x, "rms"));
  g.output("batch", batch_norm(x, "batch"));
  g.output("group", group_norm(x, "group", 3));
  g.output("plain", layer_norm(x, "plain", {.affine = false}));
  const expr wide = layer_norm(linear(x, "wide", 35), "wide_norm");
  g.output("wide", wide * rms_norm(wide, "wide_rms"));
  g.output("softmax", softmax(x));
  g.output("along", softmax(x, axis(1)));
  g.output("log", log_softmax(x));
});

constexpr auto reductions = model("reductions", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
  g.output("sum", sum(x, T));
  g.output("mean", mean(x, T, {.keep = true}));
  g.output("of_features", mean(x, axis(-1)));
  g.output("max", max_over(x, T));
  g.output("min", min_over(x, axis(0)));
});

constexpr auto shapes = model("shapes", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6}), y = g.input<f32>("y", {B, T, 2});
  g.output("permuted", permute(reshape(x, {B, T, 2, 3}), {3, 1, 0, 2}));
  g.output("turned", transpose(x) * 2.0);
  g.output("parts", slice(x, axis(-1), 1, 4) * slice(x, axis(-1), 0, 3) + slice(x, axis(-1), 3, 6));
  g.output("later", concat(axis(1), slice(x, axis(1), T - 1, T), x));
  g.output("joined", concat(axis(-1), y, x, exp(y)));
  g.output("padded", pad(x, T, 2, 1));
  g.output("reversed", reverse(x, T) * x);
  g.output("stretched", broadcast(unsqueeze(y, 1), {B, 4, T, 2}));
});

constexpr auto losses = model("losses", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 7});
  const expr h = linear(x, "h", 7), targets = g.input<i32>("targets", {B, T});
  g.output("loss", cross_entropy(h, targets, {.ignore = 3, .smoothing = 0.1}) + mse(x, h));
  g.output("sum", cross_entropy(linear(h, "wide", 37), targets, {.average = false}));
});

constexpr auto windows = model("windows", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 13, 4}), p = g.input<f32>("p", {B, 7, 9, 2});
  g.output("plain", conv1d(x, "plain", 6, 3, {.stride = 2, .padding = 1}));
  g.output("causal", conv1d(x, "causal", 6, 3, {.dilation = 2, .padding = causal, .groups = 2}));
  g.output("each", conv1d(x, "each", 4, 3, {.padding = same, .groups = 4, .bias = false}));
  g.output("back", conv_transpose1d(x, "back", 5, 4, {.stride = 3, .padding = 1, .output_padding = 1}));
  g.output("plane", conv2d(p, "plane", 3, {2, 3}, {.stride = {2, 1}, .padding = {1, 2}}));
  g.output("plane_back", conv_transpose2d(p, "plane_back", 3, {2, 3}, {.stride = {2, 1}}));
  g.output("largest", max_pool(x, 3, {.stride = 2, .padding = 1}));
  g.output("means", avg_pool(x, 3, {.stride = 2, .padding = 1}));
  g.output("plane_means", avg_pool(p, 2, {.padding = 1, .round_up = true, .count_padding = false}));
  g.output("plane_largest", max_pool(p, {3, 2}));
});

// Planes whose convolution, and whose gradient, goes by tiles, and a convolution over time.
constexpr auto by_tiles = model("by_tiles", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 6, 7, 16}), image = g.input<f32>("image", {B, 13, 15, 3});
  const expr sound = g.input<f32>("sound", {B, 17, 32});
  g.output("over_time", sound + relu(conv1d(sound, "over_time", 32, 3, {.padding = same})));
  g.output("y", conv2d(x, "conv", 17, 3, {.padding = 1}));
  g.output("larger", conv2d(x, "larger", 16, 5, {.padding = 2}));
  g.output("strided", conv2d(image, "strided", 16, 7, {.stride = 2, .padding = 3}));
  g.output("turned", conv_transpose2d(x, "turned", 16, 3, {.padding = 1}));
});

constexpr auto attentions = model("attentions", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 8}),
             v = g.input<f32>("v", {B, S, 12});
  const expr lengths = g.input<i32>("lengths", {B});
  g.output("plain", attention(q, k, v));
  g.output("masked", attention(q, q, q, {.heads = 4, .mask = causal}));
  g.output("padded", attention(q, k, v, {.heads = 2, .mask = padding(lengths)}));
  const expr narrow = slice(k, axis(-1), 0, 4), few = slice(v, axis(-1), 0, 6);
  g.output("grouped", attention(q, narrow, few, {.heads = 4, .kv_heads = 2}));
  g.output("capped", attention(q, k, v, {.heads = 2, .soft_cap = 0.5}));
  g.output("map", attention_map(q, k, v, {.heads = 2}));
});

constexpr auto scores = model("scores", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 8}),
             v = g.input<f32>("v", {B, S, 12});
  const expr bias = g.input<f32>("bias", {2, T, S});
  g.output("biased", attention(q, k, v, {.heads = 2, .bias = bias}));
  g.output("sloped", attention(q, q, q, {.heads = 4, .score = alibi(4), .mask = window(3)}));
  g.output("related", attention(q, q, q, {.heads = 2, .score = relative_bias(q, "related", {.heads = 2})}));
  const expr table = parameter(q, "table", {3, 4});
  g.output("recorded",
           attention(q, k, v, {.heads = 4, .score = [table](scalar s, scalar i, scalar j, scalar head) {
                                 return where(i < j, tanh(s) * at(table, i - j, head), s * s) + exp(s);
                               }}));
  // One value of the table in two shapes.
  const expr both = parameter(q, "both", {4});
  g.output("both ways",
           attention(q, k, v, {.heads = 4, .score = [both](scalar s, scalar i, scalar j, scalar head) {
                                 const scalar a = at(both, head);
                                 return s * sigmoid(a) + a * (j - i) * 0.25;
                               }}));
  // Undefined, or of no derivative, where the mask hides it.
  const expr steep = parameter(q, "steep", {4});
  g.output("distant", attention(q, q, q,
                                {.heads = 4,
                                 .score =
                                     [steep](scalar s, scalar i, scalar j, scalar head) {
                                       return s * log(i - j + 1) - at(steep, head) * sqrt(i - j + 1);
                                     },
                                 .mask = causal}));
  g.output("additive", attention(q, k, v, {.score = additive("additive", 5)}));
  g.output("general", attention(q, k, v, {.score = general("general")}));
  g.output("local", attention(q, k, v, {.mode = local_p("local", 3, 2)}));
  g.output("hard", attention(q, k, v, {.mode = hard}));
});

constexpr auto alone = model("alone", [](graph& g) {
  const expr q = g.input<f32>("q", {T, 8});
  g.output("plain", attention(q, q, q, {.heads = 2, .mask = causal}));
  g.output("turned", rope(q, {.heads = 2}));
  g.output("turned_more", rope(q, {.heads = 2, .pairing = neighbours, .width = 2, .offset = 3}));
});

constexpr auto stopped = model("stopped", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 5}), y = g.input<f32>("y", {B, 5});
  g.output("z", to_float(x < y) + stop_gradient(linear(x, "a", 5)) * y);
});

} // namespace

TEST_CASE("gradients: none where it is stopped") {
  using G = decltype(gradients<true>(stopped));
  STATIC_REQUIRE(G::output_of(0) == -1);       // a.weight
  STATIC_REQUIRE(G::output_of_input(0) == -1); // x
  STATIC_REQUIRE(G::output_of_input(1) >= 0);  // y
}
TEST_CASE("gradients: those of a linear map's weight and bias are one step") {
  using G = decltype(gradients(two_maps));
  constexpr int together = [] {
    int steps = 0;
    for (const step& s : G::lowered::schedule.steps) steps += s.kind == step_kind::matmul && s.count == 2;
    return steps;
  }();
  STATIC_REQUIRE(together == 2);
}
TEST_CASE("gradients: elementwise words") { check_gradients_of_words(elementwise); }
TEST_CASE("gradients: words made of others") { check_gradients_of_words(composed); }
TEST_CASE("gradients: losses made of others") { check_gradients_of_words(composed_losses); }
TEST_CASE("gradients: affine words") { check_gradients_of_words(affine); }
TEST_CASE("gradients: linear maps") { check_gradients_of_words(two_maps); }
TEST_CASE("gradients: norms") { check_gradients_of_words(norms); }
TEST_CASE("gradients: reductions") { check_gradients_of_words(reductions); }
TEST_CASE("gradients: shapes") { check_gradients_of_words(shapes); }
TEST_CASE("gradients: losses") { check_gradients_of_words(losses); }
TEST_CASE("gradients: windows") { check_gradients_of_words(windows); }
TEST_CASE("gradients: windows by tiles") { check_gradients_of_words(by_tiles); }
TEST_CASE("gradients: attention") { check_gradients_of_words(attentions); }
TEST_CASE("gradients: attention by scores of all kinds") { check_gradients_of_words(scores); }
TEST_CASE("gradients: attention and turning without a batch") { check_gradients_of_words(alone); }
