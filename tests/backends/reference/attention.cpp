#include "run_graph.hpp"

#include <cmath>
#include <functional>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

/// The weights of one head for queries and keys of width 1, which are the scores' factors: [queries, keys].
array weights_of(const std::vector<double>& queries, const std::vector<double>& keys,
                 attention_options options, const named_arrays& tables = {},
                 std::function<void(graph&, attention_options&)> change = {}) {
  named_arrays given = tables;
  given["q"] = tensor({queries.size(), 1}, queries);
  given["k"] = tensor({keys.size(), 1}, keys);
  const auto out = run_graph(
      [&](graph& g) {
        const expr q = g.input<f32>("q", {"Q", 1}), k = g.input<f32>("k", {"K", 1});
        if (change) change(g, options);
        g.output("w", attention_map(q, k, k, options));
      },
      given);
  return xt::view(out.at("w"), 0);
}

/// [queries, keys] weights of zero scores under a mask: each row is 1 / count where a key is seen.
array seen(std::size_t queries, std::size_t keys, const attention_mask& visible) {
  array w = weights_of(std::vector<double>(queries), std::vector<double>(keys), {.mask = visible});
  return xt::where(w > 0, 1.0, 0.0);
}

const double ln2 = std::log(2.0), ln3 = std::log(3.0);

} // namespace

TEST_CASE("attention is the mean of the values by softmax of the scaled products", "[attention]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr q = g.input<f32>("q", {"B", "Q", 4}), k = g.input<f32>("k", {"B", "K", 4}),
                   v = g.input<f32>("v", {"B", "K", 1});
        g.output("y", attention(q, k, v));
        g.output("w", attention_map(q, k, v));
      },
      {{"q", {{{1, 1, 1, 1}}, {{0, 0, 0, 2}}}},
       {"k", {{{0, 0, 0, 0}, {0, 2 * ln3, 0, 0}}, {{5, 5, 5, 0}, {0, 0, 0, ln3}}}},
       {"v", tensor({2, 2, 1}, {4, 8, 40, 80})}});
  check_close(out.at("w"), {{{{0.25, 0.75}}}, {{{0.25, 0.75}}}});
  check_close(out.at("y"), tensor({2, 1, 1}, {7, 70}));
}

TEST_CASE("heads lie side by side, and several query heads share a key head", "[attention]") {
  const named_arrays given{
      {"q", {{1, 2, 0, 1}}}, {"k", {{0, 0}, {ln3, ln2}}}, {"v", {{4, 0, 0, 3}, {8, 4, 3, 0}}}};
  const auto out = run_graph(
      [](graph& g) {
        const expr q = g.input<f32>("q", {1, 4}), k = g.input<f32>("k", {2, 2}),
                   v = g.input<f32>("v", {2, 4});
        const attention_options options{.heads = 4, .kv_heads = 2};
        g.output("y", attention(q, k, v, options));
        g.output("w", attention_map(q, k, v, options));
      },
      given);
  check_close(out.at("w"), {{{0.25, 0.75}}, {{0.1, 0.9}}, {{0.5, 0.5}}, {{1.0 / 3, 2.0 / 3}}});
  check_close(out.at("y"), {{7, 3, 7.6, 3.6, 1.5, 1.5, 2, 1}});
}

TEST_CASE("scale, bias, soft cap and score lambda act in this order", "[attention]") {
  const auto lambda = [](scalar s, scalar, scalar k) { return s + k; };
  const auto with_bias = [](graph& g, attention_options& o) { o.bias = g.input<f32>("bias", {1, 1, "K"}); };
  const array w = weights_of({1}, {0, 1}, {.score = lambda, .scale = 3, .soft_cap = 2},
                             {{"bias", {{{0, -2}}}}}, with_bias);
  // 3 * 1 - 2 = 1 against 0, capped, then the key's position
  const double weight = std::exp(2 * std::tanh(0.5) + 1);
  check_close(w, {{1 / (1 + weight), weight / (1 + weight)}});
}

TEST_CASE("the score lambda sees the score already scaled", "[attention]") {
  const array w =
      weights_of({1}, {0, 1}, {.score = [](scalar s, scalar, scalar) { return s * s; }, .scale = 2});
  check_close(w, {{1 / (1 + std::exp(4.0)), 1 / (1 + std::exp(-4.0))}});
}

TEST_CASE("dot has no scale of its own", "[attention]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {1, 4});
        g.output("w",
                 attention_map(x, g.input<f32>("k", {2, 4}), g.input<f32>("k2", {2, 4}), {.score = dot}));
      },
      {{"x", {{1, 0, 0, 0}}}, {"k", {{0, 0, 0, 0}, {ln3, 0, 0, 0}}}, {"k2", {{0, 0, 0, 0}, {0, 0, 0, 0}}}});
  check_close(out.at("w"), {{{0.25, 0.75}}});
}

TEST_CASE("fewer queries than keys are the last ones", "[attention]") {
  check_close(seen(2, 4, causal), {{1, 1, 1, 0}, {1, 1, 1, 1}});
  check_close(seen(1, 3, window(2)), {{0, 1, 1}});
}

TEST_CASE("masks and their combinations", "[attention]") {
  check_close(seen(3, 3, {}), {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  check_close(seen(3, 3, causal), {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}});
  check_close(seen(4, 4, window(2)), {{1, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 1, 1}});
  check_close(seen(4, 4, window(1, 1)), {{1, 1, 0, 0}, {1, 1, 1, 0}, {0, 1, 1, 1}, {0, 0, 1, 1}});
  check_close(seen(2, 2, padding(1)), {{1, 0}, {1, 0}});
  check_close(seen(3, 3, causal | prefix(2)), {{1, 1, 0}, {1, 1, 0}, {1, 1, 1}});
  check_close(seen(3, 3, causal & padding(2)), {{1, 0, 0}, {1, 1, 0}, {1, 1, 0}});
}

TEST_CASE("positions in a lambda divide with floor", "[attention]") {
  check_close(seen(4, 4, [](scalar q, scalar k) { return q / 2 == k / 2; }),
              {{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}});
  check_close(seen(3, 3, [](scalar q, scalar k) { return (q - k) / 2 == -1; }),
              {{0, 1, 1}, {0, 0, 1}, {0, 0, 0}});
  check_close(seen(3, 3, [](scalar q, scalar k) { return (q - k) % 2 == 1; }),
              {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
}

TEST_CASE("a query that sees no key gets zeros", "[attention]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {3, 1});
        g.output("y", attention(x, x, x, {.mask = [](scalar q, scalar k) { return k < q; }}));
      },
      {{"x", tensor({3, 1}, {2, 0, 4})}});
  CHECK(out.at("y")(0, 0) == 0);
  CHECK(out.at("y")(1, 0) == 2);
}

TEST_CASE("lambdas read tables by head and batch row, the score's and the mask's apart", "[attention]") {
  const auto out = run_graph(
      [](graph& g) {
        const expr x = g.input<f32>("x", {"B", "T", 2});
        const expr slopes = g.input<f32>("slopes", {2}), lengths = g.input<i32>("lengths", {"B"});
        const attention_score by_slope = [&](scalar s, scalar, scalar k, scalar head) {
          return s + at(slopes, head) * k;
        };
        g.output("w", attention_map(x, x, x, {.heads = 2, .score = by_slope, .mask = padding(lengths)}));
      },
      {{"x", array(xt::zeros<double>({2, 2, 2}))}, {"slopes", {ln2, ln3}}, {"lengths", {2, 1}}});
  const double third = 1.0 / 3;
  check_close(out.at("w"), {{{{third, 2 * third}, {third, 2 * third}}, {{0.25, 0.75}, {0.25, 0.75}}},
                            {{{1, 0}, {1, 0}}, {{1, 0}, {1, 0}}}});
}

TEST_CASE("the score lambda does not run where the mask hides the key", "[attention]") {
  const auto relative = [](graph& g, attention_options& o) {
    const expr table = g.input<f32>("table", {2});
    o.score = attention_score([table](scalar s, scalar q, scalar k) { return s + at(table, q - k); });
    o.mask = causal; // q - k is below 0 elsewhere
  };
  const array w = weights_of({0, 0}, {0, 0}, {}, {{"table", {ln3, 0}}}, relative);
  check_close(w, {{1, 0}, {0.25, 0.75}});
}

TEST_CASE("a position outside a lambda's table reads its nearest row", "[attention]") {
  const auto relative = [](graph& g, attention_options& o) {
    const expr table = g.input<f32>("table", {2});
    o.score = attention_score([table](scalar s, scalar q, scalar k) { return s + at(table, q - k); });
    o.mask = attention_mask([](scalar, scalar) { return scalar(true); });
  };
  const array w = weights_of({0, 0, 0}, {0, 0, 0}, {}, {{"table", {ln3, 0}}}, relative);
  // q - k is -2, ..., 2: rows 0, 0, 0, 1, 1.
  check_close(w, {{1. / 3, 1. / 3, 1. / 3}, {1. / 7, 3. / 7, 3. / 7}, {0.2, 0.2, 0.6}});
}
