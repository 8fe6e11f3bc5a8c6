#include "random_sizes.hpp"

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr auto products = model("products", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 70}), y = g.input<f32>("y", {B, S, 70});
  g.output("wide", gelu(linear(x, "wide", 133)));
  g.output("gated", silu(linear(x, "gate", 37)) * linear(x, "up", 37));
  g.output("residual", x + linear(x, "residual", 70, {.bias = false}));
  g.output("one", linear(x, "one", 1));
  g.output("pairs", matmul(x, transpose(y)));
  g.output("tied", matmul(y, transpose(parameter(x, "table", {50, 70}))));
  g.output("turned", matmul(transpose(x), x));
});

constexpr auto by_rows = model("by_rows", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 21}), y = g.input<f32>("y", {B, S, 21}),
             ids = g.input<i32>("ids", {B, T});
  g.output("normed", layer_norm(x, "ln") * rms_norm(x, "rms"));
  g.output("softmax", softmax(x));
  g.output("over_time", log_softmax(y, S));
  g.output("mean", mean(x, T) - max_over(x, T));
  g.output("sums", sum(x, axis(-1)));
  g.output("words", embedding(ids, "words", 7, 21) + pad(rope(slice(x, axis(2), 0, 20)), axis(2), 0, 1));
  g.output("joined", concat(axis(1), reverse(x, T), y));
  g.output("moved", permute(x, {1, 0, 2}));
  g.output("sorted", sort(permute(x, {0, 2, 1})).values);
  const auto most = top_k(x, 3);
  g.output("most", concat(axis(2), most.values, take_along(linear(x, "other", 21), most.indices, 2)));
  g.output("experts", experts(x, softmax(linear(x, "router", 5)), "experts", 18, {.active = 2}));
});

const size_ranges sizes{{"B", {1, 4}}, {"T", {1, 50}}, {"S", {1, 30}}};

} // namespace

TEST_CASE("calls of products", "[random]") { check_drawn_calls(products, sizes); }

TEST_CASE("calls of products that round", "[random]") { check_drawn_rounding(products, sizes); }

TEST_CASE("calls of norms, reductions and shape operations", "[random]") {
  check_drawn_calls(by_rows, sizes);
}
