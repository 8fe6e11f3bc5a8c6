// Attention of positions as they come over what does not move: every score, mode, bias and map.

#include <catch2/catch.hpp>

#include "stream_rows_case.hpp"

#include <cmath>
#include <vector>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

template <class M>
void check(const M& model) {
  check_stream<T>(model, {{"B", 2}, {"T", 9}, {"S", 6}});
  check_rows<T>(model, {{"B", 3}, {"T", 17}, {"S", 5}});
}

} // namespace

TEST_CASE("a stream attends to an encoder by networks, by maps and hard", "[stream]") {
  check(model("scores", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 6}), lengths = g.input<i32>("lengths", {B});
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr h = x + attention(x, source, source, {.score = additive("add", 5), .mask = padding(lengths)});
    const expr near = attention(h, source, source, {.heads = 2, .mode = hard});
    g.output("y", h + attention(h, source, source, {.score = concatenated("join", 4)}) + near);
    g.output("map", attention_map(h, source, source, {.heads = 3, .mask = padding(lengths)}));
  }));
}

TEST_CASE("what is said of keys is kept with them", "[stream]") {
  // Texts packed into one sequence see themselves alone; keys have weights of their own.
  const auto packed = model("packed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6}), texts = g.input<i32>("texts", {B, T});
    const attention_mask same_text([texts](scalar q, scalar k, scalar, scalar batch) {
      return at(texts, batch, q) == at(texts, batch, k);
    });
    const expr weight = sum(x, axis(-1)), bias = reshape(linear(x, "bias", 1), {B, 1, 1, T});
    const attention_score weighted([weight](scalar s, scalar q, scalar k, scalar, scalar batch) {
      return s * at(weight, batch, k) - at(weight, batch, q);
    });
    expr y = attention(x, x, x, {.heads = 2, .mask = causal & same_text});
    y = y + attention(x, x, x, {.score = weighted, .mask = causal});
    g.output("y", y + attention(x, x, x, {.mask = window(4), .bias = bias}));
  });
  check_stream<T>(packed, {{"B", 2}, {"T", 100}});
  check_rows<T>(packed, {{"B", 3}, {"T", 17}});
}

TEST_CASE("a mask that compares positions streams where it looks back alone", "[stream]") {
  const auto compared = model("compared", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    const attention_mask up_to([](scalar q, scalar k) { return q >= k; }),
        near([](scalar q, scalar k) { return q > k && q < k + 5; }),
        steps([](scalar q, scalar k) { return k == q - 3 || q == k; }),
        before([](scalar q, scalar k) { return k == q - 3; }),
        half([](scalar q, scalar k) { return to_float(k) >= to_float(q) - 2.5; });
    expr y = attention(x, x, x, {.heads = 2, .mask = up_to});
    y = y + attention(x, y, x, {.mask = near});
    y = y + attention(x, x, y, {.mask = before}) + attention(y, x, x, {.mask = causal & half});
    g.output("y", y + attention(y, x, x, {.mask = steps}));
  });
  check_stream<T>(compared, {{"B", 2}, {"T", 40}});
  check_rows<T>(compared, {{"B", 3}, {"T", 17}});
}

TEST_CASE("scores that a table has for each query stream", "[stream]") {
  // Shaw et al. 2018: a query's products with vectors of distances; and the same of each head.
  const auto relative = model("relative", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6}), queries = linear(x, "q", 6);
    const expr of_distances = matmul(queries, transpose(parameter(x, "distances", {5, 6})));
    const expr of_heads =
        permute(matmul(reshape(queries, {B, T, 2, 3}), parameter(x, "of_heads", {3, 7})), {0, 2, 1, 3});
    const attention_score one([of_distances](scalar s, scalar q, scalar k, scalar, scalar b) {
      return s + at(of_distances, b, q, min(q - k, 4));
    });
    const attention_score each([of_heads](scalar s, scalar q, scalar k, scalar head, scalar b) {
      return s + at(of_heads, b, head, q, min(q - k, 6));
    });
    const expr y = attention(queries, x, x, {.score = one, .mask = causal});
    g.output("y", y + attention(y, x, x, {.heads = 2, .score = each, .mask = causal}));
    g.output("near", attention(queries, y, x, {.heads = 2, .score = each, .mask = window(5)}));
  });
  check_stream<T>(relative, {{"B", 2}, {"T", 150}});
  check_rows<T>(relative, {{"B", 3}, {"T", 17}});

  // A stream whose window moves on does so for ever.
  static constexpr auto endless = model("endless", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr gate = sum(x, axis(-1)), table = matmul(x, transpose(parameter(x, "distances", {5, 6})));
    const attention_score by_table(
        [table](scalar s, scalar q, scalar k, scalar, scalar b) { return s + at(table, b, q, q - k); });
    const attention_mask open(
        [gate](scalar q, scalar k, scalar, scalar b) { return at(gate, b, q) > 0.0 || q == k; });
    g.output("y", attention(x, x, x, {.score = by_table, .mask = window(5) & open}));
  });
  static_assert(!decltype(stream<T>(endless, std::declval<const model_weights&>()))::counts_positions);
  check_stream<T>(endless, {{"B", 2}, {"T", 150}});
  check_rows<T>(endless, {{"B", 3}, {"T", 17}});
}

TEST_CASE("a position over more than a thousand of one key head, for any threads", "[stream]") {
  constexpr std::size_t length = 1300, before = 1297, width = 64;
  const auto m = model("multi_query", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, static_cast<int>(width)});
    g.output("y", attention(x, linear(x, "key", 16), linear(x, "value", 16),
                            {.heads = 4, .kv_heads = 1, .mask = causal}));
  });
  const model_weights from = random_weights(m);
  xt::xtensor<float, 3> x({1, length, width});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(0.37f * static_cast<float>(i % 1009));
  auto whole = compile<reference>(m, from, {.capacity = {{B, 1}, {T, length}}});
  const xt::xtensor<float, 3> expected = whole("x"_in = x)["y"_out];
  std::vector<float> alone, together;
  for (const int threads : {1, 3}) {
    std::vector<float>& found = threads == 1 ? alone : together;
    auto steps =
        stream<T>(m, from, {.capacity = {{B, 1}, {T, length}}, .regime = regime::large, .threads = threads});
    const auto part = [&](std::size_t first, std::size_t last) {
      return xt::xtensor<float, 3>(xt::view(x, xt::all(), xt::range(first, last), xt::all()));
    };
    steps.step("x"_in = part(0, before));
    for (std::size_t t = before; t < length; ++t) {
      const xt::xtensor<float, 3> y = steps.step("x"_in = part(t, t + 1))["y"_out];
      for (std::size_t i = 0; i < width; ++i) CHECK(std::abs(y(0, 0, i) - expected(0, t, i)) < 1e-5f);
      found.insert(found.end(), y.begin(), y.end());
    }
  }
  CHECK(alone == together);
}

TEST_CASE("a stream looks around places in an encoder, its own or predicted ones", "[stream]") {
  check(model("local", [](graph& g) {
    const expr source = g.input<f32>("source", {B, S, 6}), lengths = g.input<i32>("lengths", {B});
    const expr x = g.input<f32>("x", {B, T, 6});
    const expr h = x + attention(x, source, source, {.mask = padding(lengths), .mode = local_m(2)});
    g.output("y", h + attention(h, source, source, {.mode = local_p("place", 5, 2, lengths)}));
    g.output("map", attention_map(h, source, source, {.mode = local_m(3)}));
  }));
}

TEST_CASE("a bias of queries streams, over their own positions and over others", "[stream]") {
  check(model("of_queries", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 8}), source = g.input<f32>("source", {B, S, 8});
    const expr bias = unsqueeze(unsqueeze(sum(x, axis(-1)), 1), 3);
    const auto over = [&](expr keys, attention_mask mask) {
      return attention(x, tanh(keys), keys, {.heads = 2, .mask = mask, .bias = bias, .soft_cap = 3});
    };
    g.output("y", over(x, causal));
    g.output("near", over(x, window(4)));
    g.output("others", over(source, {}));
  }));
  // Of heads alone it is the same at all positions.
  check_stream<T>(model("of_heads",
                        [](graph& g) {
                          const expr x = g.input<f32>("x", {B, T, 8}), bias = parameter(x, "b", {2, 1, 1});
                          g.output("y", attention(x, tanh(x), x,
                                                  {.heads = 2, .mask = causal, .bias = bias, .soft_cap = 3}));
                        }),
                  {{"B", 2}, {"T", 40}});
}
