// A stream attends to what it has kept by scores of any expression of a query and a key.

#include <catch2/catch.hpp>

#include "stream_rows_case.hpp"

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

template <class M>
void check(const M& model) {
  check_stream<T>(model, {{"B", 2}, {"T", 80}});
  check_rows<T>(model, {{"B", 3}, {"T", 18}});
}

} // namespace

TEST_CASE("a stream attends to its own positions by networks", "[stream]") {
  check(model("networks", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr y = repeat("h", 2, x, [](expr z) {
      z = z + attention(z, z, z, {.score = additive("add", 5), .mask = causal});
      return z + attention(z, tanh(z), z, {.score = concatenated("join", 4), .mask = window(5)});
    });
    g.output("y", y);
  }));
}

TEST_CASE("a stream attends by products and distances that are written out", "[stream]") {
  check(model("written", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6}), k = linear(x, "k", 6);
    const expr distance = -sum(abs(unsqueeze(x, 2) - unsqueeze(k, 1)), axis(-1));
    const expr product = matmul(x, transpose(k)) * 0.4;
    const expr seen = attend(distance, x, {.mask = causal}) + attend(product, k, {.mask = window(7)});
    // The keys first, and scores of each head beside a product of their own.
    const expr turned = transpose(sum(tanh(unsqueeze(k, 2) * unsqueeze(x, 1)), axis(-1)));
    const expr of_heads = permute(linear(unsqueeze(x, 2) * unsqueeze(k, 1), "heads", 2), {0, 3, 1, 2});
    const expr heads = attention(x, k, x, {.heads = 2, .mask = window(4), .bias = of_heads});
    g.output("y", seen + attend(turned, x, {.mask = causal}) + heads);
  }));
}

TEST_CASE("a window of scores moves on for ever", "[stream]") {
  static constexpr auto endless = model("endless", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    g.output("y", attention(x, x, x, {.score = additive("add", 5), .mask = window(6)}));
  });
  static_assert(!decltype(stream<T>(endless, std::declval<const model_weights&>()))::counts_positions);
  check(endless);
}

TEST_CASE("a stream adds to its scores what positions say of each other", "[stream]") {
  check_stream<T>(
      model(
          "relative",
          [](graph& g) {
            const expr x = g.input<f32>("x", {B, T, 6}), p = range(x, T);
            const expr apart = unsqueeze(p, 1) - unsqueeze(p, 0);
            const expr bias = embedding(min(max(apart, 0), 6), "relative", 7, 2);
            g.output("y", attention(x, x, x, {.heads = 2, .mask = causal, .bias = permute(bias, {2, 0, 1})}));
          }),
      {{"B", 2}, {"T", 20}});
}

TEST_CASE("rows that took all they may stand beside others that begin", "[stream]") {
  constexpr auto causal_scores = model("causal_scores", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6}), k = linear(x, "k", 6);
    const expr distance = -sum(abs(unsqueeze(x, 2) - unsqueeze(k, 1)), axis(-1));
    const expr added = attention(x, x, x, {.score = additive("add", 64), .mask = causal});
    g.output("y", added + attention(x, k, x, {.score = concatenated("join", 4), .mask = causal}) +
                      attend(distance, x, {.mask = causal}));
  });
  const named_values inputs = random_inputs(causal_scores, {{"B", 2}, {"T", 8}});
  driven_rows<std::remove_const_t<decltype(causal_scores)>, T> rows(
      causal_scores, inputs, random_weights(causal_scores),
      core::test::detail::fitting<std::remove_const_t<decltype(causal_scores)>>(inputs));
  rows.step(8, {8, 0});
  rows.step(8, {0, 8});
  rows.begin();
  rows.step(5, {2, 5});
  rows.step(3, {0, 3});
  rows.step(6, {6, 0});
}
