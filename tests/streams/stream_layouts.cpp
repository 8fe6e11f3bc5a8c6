// Streams of values that lie otherwise than [batch, positions, features]: positions beside other axes, heads
// folded into the batch, the batch folded into the positions.

#include <catch2/catch.hpp>

#include "stream_rows_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

/// The sentences for what rows cannot do.
template <class M>
using rows_of = fovea::core::detail::checked_rows<typename M::source, T>;
template <class M>
using order_of = fovea::core::detail::checked_order<typename M::source, T>;

template <class M>
void check(const M& model) {
  check_stream<T>(model, {{"B", 2}, {"T", 9}});
  check_rows<T>(model, {{"B", 3}, {"T", 18}});
}

/// [B, T, heads * width] as [heads * B, T, width], each row's heads side by side.
constexpr expr folded(expr x, int heads, int width) {
  return reshape(permute(reshape(x, {B, T, heads, width}), {0, 2, 1, 3}), {heads * B, T, width});
}
constexpr expr unfolded(expr x, int heads, int width) {
  return reshape(permute(reshape(x, {B, heads, T, width}), {0, 2, 1, 3}), {B, T, heads * width});
}

} // namespace

TEST_CASE("products of two values at each position stream", "[stream]") {
  check(model("products", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    const expr left = reshape(linear(x, "left", 6), {B, T, 2, 3}),
               right = reshape(linear(x, "right", 15), {B, T, 3, 5});
    g.output("both", matmul(left, right));
    g.output("contracted", contract(left, reshape(right, {B, T, 5, 3}), dim(3)));
    g.output("still", matmul(parameter(x, "table", {4, 2}), left));
    g.output("columns", matmul(parameter(x, "rows", {3, 8}), transpose(x)));
    g.output("last", last(matmul(left, right), T));
  }));
}

TEST_CASE("heads that are folded into the batch stream", "[stream]") {
  check(model("folded", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    const expr q = folded(linear(x, "q", 8), 4, 2), k = folded(linear(x, "k", 8), 4, 2), v = folded(x, 4, 2);
    const expr turned = attention(rope(q), rope(k), v, {.mask = window(4)});
    const expr y = x + unfolded(attention(q, k, v, {.mask = causal}) + turned, 4, 2);
    const expr h = conv1d(folded(y, 2, 4), "c", 4, 3, {.padding = causal});
    g.output("y", unfolded(gru(h, "rnn", 4), 2, 4));
  }));
  // With heads outside of the batch rows cannot be told apart in what is kept; together they stream.
  static constexpr auto heads_outside = model("heads_outside", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8});
    const expr h = reshape(permute(reshape(x, {B, T, 4, 2}), {2, 0, 1, 3}), {4 * B, T, 2});
    const expr y = reshape(attention(h, h, h, {.mask = causal}), {4, B, T, 2});
    g.output("y", reshape(permute(y, {1, 2, 0, 3}), {B, T, 8}));
  });
  check_stream<T>(heads_outside, {{"B", 2}, {"T", 9}});
}

TEST_CASE("rows of what begin hands over are told apart, or refused", "[stream]") {
  // Heads outside of the batch, in keys and values that no position changes.
  static constexpr auto memory_outside = model("memory_outside", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 8}), x = g.input<f32>("x", {B, T, 8});
    const auto heads = [](expr of, dim places) {
      return reshape(permute(reshape(of, {B, places, 4, 2}), {2, 0, 1, 3}), {4 * B, places, 2});
    };
    const expr h = heads(source, S), y = reshape(attention(heads(x, T), h, h), {4, B, T, 2});
    g.output("y", reshape(permute(y, {1, 2, 0, 3}), {B, T, 8}));
  });
  check_stream<T>(memory_outside, {{"B", 2}, {"T", 9}, {"S", 4}});
  STATIC_REQUIRE(!rows_of<decltype(memory_outside)>::error.empty());
  STATIC_REQUIRE(!order_of<decltype(memory_outside)>::error.empty());

  // The batch behind another axis.
  static constexpr auto batch_second = model("batch_second", [](graph& g) {
    const expr source = g.input<f32>("source", {S, B, 8}), x = g.input<f32>("x", {B, T, 8});
    g.output("y", permute(permute(x, {1, 0, 2}) + unsqueeze(sum(source, axis(0)), 0), {1, 0, 2}));
  });
  STATIC_REQUIRE(!order_of<decltype(batch_second)>::error.empty());

  // What lies so on the way to it does no harm, nor what is the same for all rows.
  static constexpr auto on_the_way = model("on_the_way", [](graph& g) {
    const expr source = g.input<f32>("source", {B, 8}), shared = g.input<f32>("shared", {S, 8});
    const expr turned = transpose(tanh(transpose(source))), x = g.input<f32>("x", {B, T, 8});
    g.output("y", x + unsqueeze(turned, 1) + sum(tanh(shared), axis(0)));
  });
  STATIC_REQUIRE(rows_of<decltype(on_the_way)>::error.empty());
  STATIC_REQUIRE(order_of<decltype(on_the_way)>::error.empty());
}

TEST_CASE("positions that share an axis with the batch stream", "[stream]") {
  check(model("flat", [](graph& g) {
    const expr ids = g.input<i32>("ids", {B, T}), x = g.input<f32>("x", {B, T, 6});
    const expr flat = reshape(x, {B * T, 6}), words = embedding(reshape(ids, {B * T}), "words", 7, 6);
    expr y = layer_norm(relu(linear(flat, "up", 6)) + words, "norm");
    y = y - unsqueeze(mean(y, axis(1)), 1);
    const expr apart = reshape(y, {B, T, 6});
    g.output("y", apart + attention(apart, apart, apart, {.heads = 2, .mask = causal}));
  }));
}
