// A small stream of convolutions and products takes the positions of a call of one batch row by a function of its own, with
// several positions in the lanes of a vector: it agrees with the whole sequence, whatever the blocks.

#include <catch2/catch.hpp>

#include "../cmake/blocks.hpp"
#include "stream_case.hpp"

#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/runtime/describe/explain.hpp>

#include <random>
#include <sstream>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

template <class M>
bool takes_blocks(const M& m, const compile_options& options = {.capacity = {{B, 1}, {T, 64}}}) {
  return stream<T>(m, random_weights(m), options).takes_blocks();
}

/// Whether this file is compiled for vectors as long as those of the kernels: else rows of more than few features go by
/// these.
bool has_long_vectors() {
  return core::simd::width<core::simd::native> >= core::simd::set_named(instruction_set())->vector;
}

/// A layer of what WaveNets are made of: dilated, gated, with a residual.
constexpr expr gated_layer(expr x, expr beside, int width, int taps, int dilation) {
  const auto [p, q] = split<2>(conv1d(x, "conv", 2 * width, taps, {.dilation = dilation, .padding = causal}) +
                               linear(beside, "beside", 2 * width, {.bias = false}));
  return tanh(p) * sigmoid(q);
}

} // namespace

TEST_CASE("a block of positions has any few features", "[stream]") {
  using blocks::widths;
  CHECK(takes_blocks(widths) == has_long_vectors());
  for (const std::size_t length : {5u, 7u, 8u, 9u, 31u, 33u, 70u})
    check_stream<T>(widths, {{"B", 1}, {"T", length}});
  check_stream<T>(widths, {{"B", 3}, {"T", 9}}); // by the steps
}

TEST_CASE("a block of positions is computed by products, chains, parts and joins", "[stream]") {
  static constexpr auto mixed = model("mixed", [](graph& g) {
    const expr signal = g.input<f32>("x", {1, T, 2}), level = g.input<f32>("level", {1, T});
    const expr beside = concat(axis(-1), signal, unsqueeze(level, 2) * 0.5);
    expr x = linear(signal, "in", 5), sum;
    for (int i = 0; i < 3; ++i) {
      const scope names(x, "layers", i);
      const expr a = gated_layer(x, beside, 3, 3, 1 << i);
      sum = i == 0 ? a : sum + a;
      x = x + relu(linear(a, "mix", 5));
    }
    const expr normed = batch_norm(conv1d(sum, "conv", 4, 2, {.padding = causal}), "norm");
    const expr leaky = where(normed < 0, normed * parameter(x, "slopes", {4}), normed);
    const expr turned = matmul(leaky, parameter(x, "turn", {4, 6}));
    g.output("y", linear(turned, "out", 1) * parameter(x, "scale", {1}) + max(leaky, 0.1) * 0.25);
    g.output("level", linear(unsqueeze(level, 2), "level", 1));
    g.output("part", slice(x, axis(-1), 1, 4));
  });
  CHECK(takes_blocks(mixed, {.capacity = {{T, 64}}}) == has_long_vectors());
  check_stream<T>(mixed, {{"T", 100}});
  check_stream<T>(mixed, {{"T", 6}});
}

TEST_CASE("a stream takes blocks where nothing else than windows reaches back", "[stream]") {
  static constexpr auto recurrent = model("recurrent", [](graph& g) {
    g.output("y", gru(g.input<f32>("x", {B, T, 2}), "gru", 4));
  });
  static constexpr auto wide = model("wide", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 2}), "conv", 17, 2, {.padding = causal}));
  });
  static constexpr auto halved = model("halved", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 2}), "conv", 4, 2, {.stride = 2, .padding = causal}));
  });
  static constexpr auto repeated = model("repeated", [](graph& g) {
    g.output("y", repeat("h", 2, g.input<f32>("x", {B, T, 2}), [](expr x) { return linear(x, "map", 2); }));
  });
  static constexpr auto summed = model("summed", [](graph& g) {
    g.output("y", cumsum(linear(g.input<f32>("x", {B, T, 2}), "map", 2), axis(1)));
  });
  static constexpr auto alone = model("alone", [](graph& g) {
    g.output("y", tanh(g.input<f32>("x", {B, T, 2})));
  });
  CHECK_FALSE(takes_blocks(recurrent));
  CHECK_FALSE(takes_blocks(wide));
  CHECK_FALSE(takes_blocks(halved));
  CHECK_FALSE(takes_blocks(repeated));
  CHECK_FALSE(takes_blocks(summed));
  CHECK_FALSE(takes_blocks(alone));
  check_stream<T>(repeated, {{"B", 1}, {"T", 9}});
  check_stream<T>(summed, {{"B", 1}, {"T", 9}});
}

TEST_CASE("any blocks give the same bits where a single position is one, too", "[stream]") {
  static constexpr auto m = model("played", [](graph& g) {
    expr x = g.input<f32>("x", {1, T, 1});
    for (int i = 0; i < 4; ++i) {
      const scope names(x, "layers", i);
      x = tanh(conv1d(x, "conv", 3, 3, {.dilation = 1 << i, .padding = causal}));
    }
    g.output("y", linear(x, "out", 1));
  });
  constexpr std::size_t length = 200;
  const model_weights from = random_weights(m);
  const compile_options options{.capacity = {{T, length}}, .regime = regime::large, .threads = 1};
  auto whole = stream<T>(m, from, options), parts = whole;
  REQUIRE(whole.takes_blocks());
  xt::xtensor<float, 3> x({1, length, 1});
  for (std::size_t t = 0; t < length; ++t) x(0, t, 0) = std::sin(0.3f * static_cast<float>(t));
  const xt::xtensor<float, 3> all = whole.step("x"_in = x)["y"_out];
  std::mt19937 random(5);
  for (std::size_t at = 0, count; at < length; at += count) {
    count = std::min<std::size_t>(1 + random() % 40, length - at);
    const xt::xtensor<float, 3> some = xt::view(x, xt::all(), xt::range(at, at + count), xt::all());
    const auto y = parts.step("x"_in = some)["y"_out];
    for (std::size_t t = 0; t < count; ++t) CHECK(y(0, t, 0) == all(0, at + t, 0));
  }
}

TEST_CASE("a stream tells that it takes blocks", "[stream]") {
  static constexpr auto m = model("told", [](graph& g) {
    g.output("y", conv1d(g.input<f32>("x", {B, T, 1}), "conv", 2, 2, {.padding = causal}));
  });
  std::ostringstream out;
  out << explain(stream<T>(m, random_weights(m), {.capacity = {{B, 1}, {T, 4}}}));
  CHECK_THAT(out.str(), Catch::Contains(
                            "\nThe positions of one batch row take one function in place of these steps.\n"));
}
