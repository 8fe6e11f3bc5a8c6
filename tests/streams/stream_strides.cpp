// Strides along time: a stream takes multiples of all of them.

#include <catch2/catch.hpp>

#include "stream_rows_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

template <class M>
void check(const M& model, std::size_t length, double tolerance = 2e-5) {
  check_stream<T>(model, {{"B", 2}, {"T", length}}, tolerance);
  check_rows<T>(model, {{"B", 3}, {"T", length}});
}

} // namespace

TEST_CASE("strided convolutions stream by all their strides", "[stream]") {
  static constexpr auto stack = model("stack", [](graph& g) {
    expr x = g.input<f32>("x", {B, T, 3});
    x = relu(conv1d(x, "a", 6, 5, {.stride = 2, .padding = causal}));
    x = x + tanh(conv1d(x, "between", 6, 3, {.dilation = 2, .padding = causal}));
    g.output("y", conv1d(x, "b", 4, 4, {.stride = 3, .padding = causal}));
    g.output("half", x);
  });
  static_assert(decltype(stream<T>(stack, std::declval<const model_weights&>()))::stride == 6);
  check(stack, 17 * 6);
  // Windows that see up to the next place, with less padding or none; two rates side by side.
  check(model("frames",
              [](graph& g) {
                const expr x = g.input<f32>("x", {B, T, 3});
                g.output("frames", conv1d(x, "a", 8, 4, {.stride = 4}));
                const expr overlapping = conv1d(x, "b", 8, 3, {.stride = 2, .padding = 1});
                g.output("overlapping", overlapping);
                g.output("frames of these", conv1d(overlapping, "c", 8, 2, {.stride = 2}));
              }),
        18 * 4);
}

TEST_CASE("pooling streams", "[stream]") {
  check(model("pools",
              [](graph& g) {
                const expr x = g.input<f32>("x", {B, T, 5}) - 3.0;
                g.output("blocks", max_pool(x, 3) + avg_pool(x, 3));
                g.output("largest", max_pool(x, 5, {.stride = 1, .padding = causal}));
                g.output("mean", avg_pool(x, 4, {.stride = 3, .padding = 1}));
              }),
        18 * 3);
}

TEST_CASE("what comes after strides is kept and counted at their pace", "[stream]") {
  // Its two convolutions sum in another order than the whole sequence's, whose windows reach over its beginning.
  // Eight layers behind them make 2.1e-5 of that, where multiplication and addition are not fused.
  constexpr double tolerance = 3e-5;
  check(model("subsampled",
              [](graph& g) {
                expr x = g.input<f32>("x", {B, T, 4});
                x = conv1d(x, "a", 8, 3, {.stride = 2, .padding = causal});
                x = conv1d(x, "b", 8, 3, {.stride = 2, .padding = causal});
                x = x + sinusoidal_positions(x) + learned_positions(x, "p", {.context = 30, .width = 8});
                x = repeat("h", 2, x, [](expr y) {
                  const expr q = rope(linear(y, "q", 8), {.heads = 2});
                  y = y + attention(q, linear(y, "k", 8), y, {.heads = 2, .mask = causal});
                  return y + attention(q, linear(y, "k2", 8), y, {.heads = 2, .mask = window(3)});
                });
                g.output("y", lstm(x, "rnn", 5));
              }),
        18 * 4, tolerance);
}

TEST_CASE("a stream with strides says what it cannot take", "[stream]") {
  static constexpr auto m = model("halves", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 1});
    g.output("y", max_pool(max_pool(x, 2), 2));
  });
  auto live = stream<T>(m, model_weights::from({}), {.capacity = {{B, 2}, {T, 8}}});
  const xt::xtensor<float, 3> six = xt::ones<float>({2, 6, 1}), eight = xt::ones<float>({2, 8, 1});
  CHECK_THROWS_WITH(
      live.step("x"_in = six),
      "halves: stream: expected a multiple of 4 positions, by which the model divides T, found 6");
  const std::vector<std::size_t> lengths{8, 2};
  CHECK_THROWS_WITH(
      live.step(lengths, "x"_in = eight),
      "halves: stream: expected a multiple of 4 positions, by which the model divides T, found 2");
  CHECK(live.step("x"_in = eight)["y"_out](1, 1, 0) == 1);
}
