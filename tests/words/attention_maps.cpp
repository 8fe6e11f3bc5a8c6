// A model that gives the maps of its attentions in place of its outputs, beside one that declares each map.

#include "../compare_backends.hpp"

#include <fovea/dsl/passes/attention_maps.hpp>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

constexpr expr layer(expr x, expr lengths) {
  return tanh(x + attention(linear(x, "q", 8), linear(x, "k", 4), linear(x, "v", 4),
                            {.heads = 4, .kv_heads = 2, .mask = causal & padding(lengths)}));
}
constexpr expr narrow(expr x) { return linear(x, "narrow", 8); }

/// Two layers of two layers each, then one that looks at something else.
inline constexpr auto deep = model("deep", [](graph& g) {
  const expr lengths = g.input<i32>("lengths", {B});
  expr x = g.input<f32>("x", {B, T, 8}), y = g.input<f32>("y", {B, S, 8});
  x = repeat("outer", 2, x, [&](expr a) {
    return narrow(repeat("inner", 2, a, [&](expr b) { return layer(b, lengths); }));
  });
  g.output("mean", mean(attention(x, y, y, {.heads = 2}), axis(1)));
});

/// The same layer by layer, with its maps.
inline constexpr auto shown = model("shown", [](graph& g) {
  const expr lengths = g.input<i32>("lengths", {B});
  expr x = g.input<f32>("x", {B, T, 8}), y = g.input<f32>("y", {B, S, 8});
  constexpr const char* names[] = {"0", "1", "2", "3"};
  for (int i = 0; i < 2; ++i) {
    const scope outer(x, "outer", i);
    for (int k = 0; k < 2; ++k) {
      const scope inner(x, "inner", k);
      x = layer(x, lengths);
      g.output(names[2 * i + k], last_attention_map(x));
    }
    x = narrow(x);
  }
  g.output("across", last_attention_map(attention(x, y, y, {.heads = 2})));
});

inline constexpr auto recurrent = model("recurrent", [](graph& g) {
  g.output("y", gru(g.input<f32>("x", {B, T, 8}), "rnn", 8));
});
static_assert(has_attention_maps(deep) && !has_attention_maps(recurrent));
static_assert(attention_maps(deep).parameters() == deep.parameters());

} // namespace

TEST_CASE("a model gives the maps of its attentions, of repeats with their layers", "[attention_map]") {
  const model_weights weights = random_weights(deep);
  named_values inputs = random_inputs(deep, {{"B", 3}, {"T", 5}, {"S", 4}});
  inputs["lengths"] = {{3}, {5, 2, 0}, true};
  on_both_backends([&](auto backend) {
    const named_values found = run_model<decltype(backend)>(attention_maps(deep), weights, inputs),
                       expected = run_model<decltype(backend)>(shown, weights, inputs);
    REQUIRE(found.size() == 2);
    const golden_tensor& layers = found.at("maps.0");
    CHECK(layers.shape == std::vector<std::size_t>{2, 2, 3, 4, 5, 5});
    std::vector<double> each;
    for (const char* name : {"0", "1", "2", "3"})
      each.insert(each.end(), expected.at(name).values.begin(), expected.at(name).values.end());
    REQUIRE(each.size() == layers.values.size());
    for (std::size_t i = 0; i < each.size(); ++i) CHECK(layers.values[i] == Approx(each[i]).margin(1e-6));
    CHECK(found.at("maps.1").shape == std::vector<std::size_t>{3, 2, 5, 4});
    for (std::size_t i = 0; i < 120; ++i)
      CHECK(found.at("maps.1").values[i] == Approx(expected.at("across").values[i]).margin(1e-6));
  });
}
