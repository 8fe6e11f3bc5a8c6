#include <catch2/catch.hpp>

#include <utility>

#include "outputs.hpp"

using namespace fovea;
using namespace fovea::core;

namespace {

constexpr dim B{"B"}, T{"T"}, S{"S"}, N{"N", 64};

constexpr auto elementwise = model("elementwise", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768}), y = g.input<f32>("y", {T, 1}), ids = g.input<i32>("ids", {B, T});
  g.output("add", x + y);
  g.output("number_first", 2 / x);
  g.output("whole", ids / 2);
  g.output("mixed", ids * 0.5);
  g.output("compare", x <= y);
  g.output("both", x < y && !(y == 0.0));
  g.output("where", where(x < y, y, 1));
  g.output("where_whole", where(ids < 3, ids, -1));
  g.output("where_boolean", where(x < y, where(x < 0, y < 0, true), x < 1));
  g.output("exp", exp(ids));
  g.output("abs", abs(ids));
  g.output("floor", floor(x));
  g.output("to_float", to_float(ids != 3));
  g.output("pow", pow(x, 2));
  g.output("max", max(y, max(x, 0)));
  g.output("dropout", dropout(y, 0.1));
});

// An axis by its position, and operators that give a name a new value.
constexpr auto as_in_python = model("as_in_python", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768}), y = g.input<f32>("y", {T, 1});
  g.output("mean", mean(x, 1));
  g.output("concat", concat(-1, x, x));
  g.output("layer_norm", layer_norm(reshape(x, {B, T, 2, 384}), "n", {.axes = {2, -1}}));
  y += x;
  g.output("add", y);
  y -= 1;
  g.output("subtract", y);
  y *= max_over(y, 0, {.keep = true});
  g.output("multiply", y);
  y /= 2;
  g.output("divide", y);
  g.output("map", map(x, [](scalar a) {
             a *= 2;
             a += 1;
             a -= exp(a);
             a /= 3;
             return a;
           }));
});

constexpr auto maps = model("maps", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768}), y = g.input<f32>("y", {T, 1}), ids = g.input<i32>("ids", {B, T});
  g.output("map_scalars", map(x, y, [](scalar a, scalar b) { return where(a < b, exp(a) * 2, b); }));
  g.output("map_exprs", map(x, [](auto a) { return a * sigmoid(a); }));
  g.output("map_whole", map(ids, [](scalar i) { return i % 2 == 0; }));
  g.output("number", constant(x, 3) * 2);
});

constexpr auto affine = model("affine", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64}), y = g.input<f32>("y", {B, S, N}), ids = g.input<i32>("ids", {B, T});
  g.output("linear", linear(x, "linear", 3));
  g.output("linear_of_one", linear(sum(sum(x, B), T), "one", 3));
  g.output("matmul", matmul(x, transpose(y)));
  g.output("matmul_table", matmul(x, parameter(x, "table", {64, 7})));
  g.output("gather", gather(parameter(x, "rows", {10, 4, 5}), ids));
  g.output("embedding", embedding(ids, "embedding", 10, 6));
  g.output("bilinear", bilinear(x, mean(y, S, {.keep = true}), "bilinear", 9));
  g.output("bilinear_of_one", bilinear(mean(mean(x, B), T), x, "one_left", 9, {.bias = false}));
  g.output("contract", contract(x, y, N));
  g.output("contract_two", contract(x, x, {T, 64}));
  g.output("contract_weight", contract(x, parameter(x, "weight", {5, 64, 2}), 64));
  g.output("contract_nothing_left", contract(slice(x, B, 0, 1), slice(x, B, 0, 1), {1, T, 64}));
  g.output("range", range(x, T));
});

constexpr auto norms = model("norms", [](graph& g) {
  expr x = g.input<f32>("x", {B, 7, 8, 64});
  g.output("layer_norm", layer_norm(x, "layer_norm"));
  g.output("layer_norm_axes", layer_norm(x, "layer_norm_axes", {.axes = {axis(1), axis(2)}}));
  g.output("rms_norm_axis", rms_norm(x, "rms_norm_axis", {.axes = {dim(7)}}));
  g.output("plain", layer_norm(x, "plain", {.affine = false}));
  g.output("batch_norm", batch_norm(x, "batch_norm"));
  g.output("group_norm", group_norm(x, "group_norm", 4));
  g.output("softmax", softmax(x, axis(1)));
  g.output("log_softmax", log_softmax(x));
});

constexpr auto reductions = model("reductions", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64}), ids = g.input<i32>("ids", {B, T});
  g.output("sum", sum(x, T));
  g.output("mean_kept", mean(x, T, {.keep = true}));
  g.output("max_over", max_over(x, axis(-1)));
  g.output("min_over", min_over(x, axis(0)));
  g.output("argmax", argmax(x, N));
  g.output("cross_entropy", cross_entropy(x, ids, {.smoothing = 0.1}));
  g.output("mse", mse(x, x));
});

constexpr auto shapes = model("shapes", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64}), y = g.input<f32>("y", {B, S, 64}),
       ids = g.input<i32>("ids", {B, T});
  g.output("concat", concat(T, x, slice(x, T, 1, T)));
  g.output("concat_symbols", concat(axis(1), x, y, x));
  g.output("slice", slice(x, T, 2, -1));
  g.output("slice_symbol", slice(x, T, T - 3, T));
  g.output("split", split<4>(x)[3]);
  g.output("reshape", reshape(x, {B, T, 8, 8}));
  g.output("reshape_symbols", reshape(ids, {B * T}));
  g.output("permute", permute(x, {-1, 0, 1}));
  g.output("pad", pad(x, T, 2, 1));
  g.output("reverse", reverse(ids, T));
  g.output("unsqueeze", unsqueeze(ids, -1));
  g.output("unsqueeze_first", unsqueeze(ids, 0));
  g.output("broadcast", broadcast(ids, {3, B, T}));
});

constexpr auto inferred = model("inferred", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 64}), ids = g.input<i32>("ids", {B, T});
  const expr planes = g.input<f32>("planes", {B * T, 2 * S + 1, 64});
  g.output("inferred", reshape(x, {B, T, 8, -1}));
  g.output("inferred_symbols", reshape(x, {-1, 64}));
  g.output("inferred_whole", reshape(ids, {-1}));
  g.output("inferred_one", reshape(x, {B, T, -1, 64}));
  g.output("inferred_factor", reshape(planes, {B, -1, 2 * S + 1, 64}));
  g.output("inferred_sum", reshape(planes, {B, T, 64, -1}));
});

constexpr auto attentions = model("attentions", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 64}), k = g.input<f32>("k", {B, S, 16}),
       v = g.input<f32>("v", {B, S, 24});
  expr lengths = g.input<i32>("lengths", {B}), ids = g.input<i32>("ids", {B, T});
  g.output("grouped", attention(q, k, v, {.heads = 8, .kv_heads = 2, .mask = causal & padding(lengths)}));
  g.output("map", attention_map(q, k, v, {.heads = 8, .kv_heads = 2}));
  g.output("general", attention(q, k, v, {.score = general("score")}));
  g.output("single",
           attention(mean(q, B), mean(q, B), mean(q, B), {.heads = 4, .score = alibi(4), .soft_cap = 30}));
  g.output("bias", attention(q, q, q, {.heads = 2, .bias = parameter(q, "bias", {2, 1, 1})}));
  g.output("sinusoidal", sinusoidal_positions(q));
  g.output("learned", learned_positions(ids, "wpe", {.context = 512, .width = 10}));
  g.output("learned_unbatched", learned_positions(mean(q, B), "unbatched", {.context = 512, .width = 10}));
  g.output("rope", rope(q, {.heads = 4, .pairing = neighbours}));
  g.output("repeat", repeat("h", 3, q, [](expr x) { return linear(x, "w", 64); }));
});

} // namespace

TEST_CASE("elementwise words broadcast, and mix integers with floats") {
  const graph_view m = elementwise.view;
  CHECK(output_shape(m, "add") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "number_first") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "whole") == "int32 [B, T]");
  CHECK(output_shape(m, "mixed") == "float32 [B, T]");
  CHECK(output_shape(m, "compare") == "boolean [B, T, 768]");
  CHECK(output_shape(m, "both") == "boolean [B, T, 768]");
  CHECK(output_shape(m, "where") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "where_whole") == "int32 [B, T]");
  CHECK(output_shape(m, "where_boolean") == "boolean [B, T, 768]");
  CHECK(output_shape(m, "exp") == "float32 [B, T]");
  CHECK(output_shape(m, "abs") == "int32 [B, T]");
  CHECK(output_shape(m, "floor") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "to_float") == "float32 [B, T]");
  CHECK(output_shape(m, "pow") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "max") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "dropout") == "float32 [T, 1]");
}

TEST_CASE("map records lambdas of scalars, and calls lambdas of exprs") {
  const graph_view m = maps.view;
  CHECK(output_shape(m, "map_scalars") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "map_exprs") == "float32 [B, T, 768]");
  CHECK(output_shape(m, "map_whole") == "boolean [B, T]");
  CHECK(output_shape(m, "number") == "float32 []");
}

TEST_CASE("affine words") {
  const graph_view m = affine.view;
  CHECK(output_shape(m, "linear") == "float32 [B, T, 3]");
  CHECK(output_shape(m, "linear_of_one") == "float32 [3]");
  CHECK(output_shape(m, "matmul") == "float32 [B, T, S]");
  CHECK(output_shape(m, "matmul_table") == "float32 [B, T, 7]");
  CHECK(output_shape(m, "gather") == "float32 [B, T, 4, 5]");
  CHECK(output_shape(m, "embedding") == "float32 [B, T, 6]");
  CHECK(output_shape(m, "bilinear") == "float32 [B, T, 9]");
  CHECK(output_shape(m, "bilinear_of_one") == "float32 [B, T, 9]");
  CHECK(output_shape(m, "contract") == "float32 [B, T, S]");
  CHECK(output_shape(m, "contract_two") == "float32 [B]");
  CHECK(output_shape(m, "contract_weight") == "float32 [B, T, 5, 2]");
  CHECK(output_shape(m, "contract_nothing_left") == "float32 []");
  CHECK(output_shape(m, "range") == "int32 [T]");
}

TEST_CASE("norms keep the shape") {
  const graph_view m = norms.view;
  for (const named_value& output : m.outputs) CHECK(output_shape(m, output.name) == "float32 [B, 7, 8, 64]");
}

TEST_CASE("reductions drop their axis, or keep it as 1") {
  const graph_view m = reductions.view;
  CHECK(output_shape(m, "sum") == "float32 [B, 64]");
  CHECK(output_shape(m, "mean_kept") == "float32 [B, 1, 64]");
  CHECK(output_shape(m, "max_over") == "float32 [B, T]");
  CHECK(output_shape(m, "min_over") == "float32 [T, 64]");
  CHECK(output_shape(m, "argmax") == "int32 [B, T]");
  CHECK(output_shape(m, "cross_entropy") == "float32 []");
  CHECK(output_shape(m, "mse") == "float32 []");
}

TEST_CASE("shape words compute with dims") {
  const graph_view m = shapes.view;
  CHECK(output_shape(m, "concat") == "float32 [B, 2*T - 1, 64]");
  CHECK(output_shape(m, "concat_symbols") == "float32 [B, S + 2*T, 64]");
  CHECK(output_shape(m, "slice") == "float32 [B, T - 3, 64]");
  CHECK(output_shape(m, "slice_symbol") == "float32 [B, 3, 64]");
  CHECK(output_shape(m, "split") == "float32 [B, T, 16]");
  CHECK(output_shape(m, "reshape") == "float32 [B, T, 8, 8]");
  CHECK(output_shape(m, "reshape_symbols") == "int32 [B*T]");
  CHECK(output_shape(m, "permute") == "float32 [64, B, T]");
  CHECK(output_shape(m, "pad") == "float32 [B, T + 3, 64]");
  CHECK(output_shape(m, "reverse") == "int32 [B, T]");
  CHECK(output_shape(m, "unsqueeze") == "int32 [B, T, 1]");
  CHECK(output_shape(m, "unsqueeze_first") == "int32 [1, B, T]");
  CHECK(output_shape(m, "broadcast") == "int32 [3, B, T]");
}

TEST_CASE("axes by position, and operators that give a name a new value") {
  const graph_view m = as_in_python.view;
  CHECK(output_shape(m, "mean") == "float32 [B, 768]");
  CHECK(output_shape(m, "concat") == "float32 [B, T, 1536]");
  CHECK(output_shape(m, "layer_norm") == "float32 [B, T, 2, 384]");
  const std::pair<const char*, op> changed[] = {
      {"add", op::add}, {"subtract", op::subtract}, {"multiply", op::multiply}, {"divide", op::divide}};
  for (const auto& [name, kind] : changed) {
    INFO(name);
    CHECK(output_shape(m, name) == "float32 [B, T, 768]");
    CHECK(m.at(output_of(m, name)).kind == kind);
  }
  CHECK(output_shape(m, "map") == "float32 [B, T, 768]");
}

TEST_CASE("attention, positions and depth") {
  const graph_view m = attentions.view;
  CHECK(output_shape(m, "grouped") == "float32 [B, T, 96]");
  CHECK(output_shape(m, "map") == "float32 [B, 8, T, S]");
  CHECK(output_shape(m, "general") == "float32 [B, T, 24]");
  CHECK(output_shape(m, "single") == "float32 [T, 64]");
  CHECK(output_shape(m, "bias") == "float32 [B, T, 64]");
  CHECK(output_shape(m, "sinusoidal") == "float32 [T, 64]");
  CHECK(output_shape(m, "learned") == "float32 [T, 10]");
  CHECK(output_shape(m, "learned_unbatched") == "float32 [T, 10]");
  CHECK(output_shape(m, "rope") == "float32 [B, T, 64]");
  CHECK(output_shape(m, "repeat") == "float32 [B, T, 64]");
}

TEST_CASE("an axis of a reshape is inferred from numbers, symbols and sums") {
  const graph_view m = inferred.view;
  CHECK(output_shape(m, "inferred") == "float32 [B, T, 8, 8]");
  CHECK(output_shape(m, "inferred_symbols") == "float32 [B*T, 64]");
  CHECK(output_shape(m, "inferred_whole") == "int32 [B*T]");
  CHECK(output_shape(m, "inferred_one") == "float32 [B, T, 1, 64]");
  CHECK(output_shape(m, "inferred_factor") == "float32 [B, T, 2*S + 1, 64]");
  CHECK(output_shape(m, "inferred_sum") == "float32 [B, T, 64, 2*S + 1]");
}
