#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fovea/fovea.hpp>

#include "counts.hpp"

using namespace fovea;
using namespace fovea::core;
using fovea::core::test::allocations;

namespace {

inline constexpr dim B{"B"}, T{"T"};

/// A word of each sort that needs memory of its own: gathers, products, attention by the kernels and by a
/// lambda, norms, reductions, repeats.
constexpr auto declaration = model("allocations", [](graph& g) {
  const expr tokens = g.input<i32>("tokens", {B, T}), lengths = g.input<i32>("lengths", {B});
  const expr x = repeat("layer", 2, embedding(tokens, "words", 11, 16), [&](expr y) {
    const expr h = layer_norm(y, "norm");
    const auto with = [&](const attention_options& options) {
      return attention(rope(h, {.heads = 2}), h, h, options);
    };
    const expr a = with({.heads = 2, .mask = causal & padding(lengths)}) +
                   with({.heads = 2, .score = alibi(2), .mask = causal});
    return y + linear(gelu(linear(a, "up", 40)), "down", 16);
  });
  g.output("mean", mean(softmax(x), T));
  g.output("best", argmax(x, axis(-1)));
  g.output("pairs", matmul(x, transpose(x)));
});

model_weights zeros_and_some() {
  const auto values = [](std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = 0.1f * static_cast<float>(i * 7 % 11) - 0.5f;
    return v;
  };
  std::map<std::string, weight_tensor> made{{"words.weight", {{11, 16}, values(11 * 16)}}};
  for (const char* layer : {"layer.0.", "layer.1."}) {
    const std::string in = layer;
    made[in + "norm.weight"] = {{16}, values(16)};
    made[in + "norm.bias"] = {{16}, values(16)};
    made[in + "up.weight"] = {{40, 16}, values(40 * 16)};
    made[in + "up.bias"] = {{40}, values(40)};
    made[in + "down.weight"] = {{16, 40}, values(40 * 16)};
    made[in + "down.bias"] = {{16}, values(16)};
  }
  return model_weights::from(std::move(made));
}

template <class net_type>
float call(net_type& net, const xt::xtensor<int, 2>& tokens, const xt::xtensor<int, 1>& lengths) {
  const auto out = net("tokens"_in = tokens, "lengths"_in = lengths);
  return out["mean"_out](0, 0) + static_cast<float>(out["best"_out](0, 0)) + out["pairs"_out](0, 0, 0);
}

} // namespace

TEST_CASE("a call allocates nothing, neither the first nor a later one, large or small") {
  const int threads = GENERATE(1, 3);
  const fovea::regime how = threads == 1 ? regime::small : regime::large;
  auto net = compile(declaration, zeros_and_some(),
                     {.capacity = {{B, 3}, {T, 19}}, .regime = how, .threads = threads});
  const xt::xtensor<int, 2> whole = xt::zeros<int>({3, 19}), part = xt::ones<int>({2, 7}), one{{4}};
  const xt::xtensor<int, 1> of_whole{19, 1, 8}, of_part{7, 3}, of_one{1};
  const long before = allocations;
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += call(net, part, of_part) + call(net, whole, of_whole) + call(net, one, of_one);
  const long after = allocations;
  CHECK(after == before);
  CHECK(std::isfinite(sum));
}

TEST_CASE("a step of a stream allocates nothing") {
  static constexpr auto moving = model("moving", [](graph& g) {
    const expr x = g.input<f32>("x", {B, T, 4});
    const expr h = gru(conv1d(x, "conv", 4, 3, {.padding = causal}), "rnn", 4);
    g.output("y", h + attention(h, h, h, {.heads = 2, .mask = causal}));
  });
  const auto values = [](std::vector<std::size_t> shape) {
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    return weight_tensor{std::move(shape), std::vector<float>(count, 0.1f)};
  };
  auto live = stream<T>(moving,
                        model_weights::from({{"conv.weight", values({4, 4, 3})},
                                             {"conv.bias", values({4})},
                                             {"rnn.weight_ih_l0", values({12, 4})},
                                             {"rnn.weight_hh_l0", values({12, 4})},
                                             {"rnn.bias_ih_l0", values({12})},
                                             {"rnn.bias_hh_l0", values({12})}}),
                        {.capacity = {{B, 2}, {T, 64}}});
  static constexpr auto filter = model("filter", [](graph& g) { // one function takes a position of it
    g.output("y", tanh(conv1d(g.input<f32>("x", {B, T, 4}), "conv", 4, 3, {.padding = causal})));
  });
  auto filtered =
      stream<T>(filter, model_weights::from({{"conv.weight", values({4, 4, 3})}, {"conv.bias", values({4})}}),
                {.capacity = {{B, 2}, {T, 1}}});
  static_assert(decltype(filtered)::has_single_position);
  const xt::xtensor<float, 3> one = xt::ones<float>({2, 1, 4}), some = xt::ones<float>({2, 5, 4});
  const long before = allocations;
  float sum = 0;
  for (int i = 0; i < 200; ++i) sum += filtered.step("x"_in = one)["y"_out](1, 0, 3);
  for (int i = 0; i < 4; ++i)
    sum += live.step("x"_in = one)["y"_out](1, 0, 3) + live.step("x"_in = some)["y"_out](1, 4, 3);
  live.begin();
  sum += live.step("x"_in = one)["y"_out](1, 0, 3);
  CHECK(allocations == before);
  CHECK(std::isfinite(sum));
}

TEST_CASE("the count sees an allocation") {
  const long before = allocations;
  const std::vector<float> some(100);
  CHECK(allocations > before);
  CHECK(some[0] == 0);
  if (!fovea::core::test::counts_all_allocations) return;
  const long between = allocations;
  const packed own(100);
  CHECK(allocations > between);
  const long last = allocations;
  const buffer working = buffer::from_shape({100});
  CHECK(allocations > last);
  CHECK(own.data() != working.data());
}
