// A program that compiles, streams and trains, as the sanitisers see it: what is constant for them is less.
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};
constexpr expr body(graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  const expr h = attention(linear(x, "q", 8), x, x, {.heads = 2, .mask = causal});
  return gru(conv1d(layer_norm(h, "norm"), "conv", 8, 3, {.padding = causal}), "rnn", 8);
}
inline constexpr auto tagger = model("tagger", [](graph& g) { g.output("y", linear(body(g), "out", 4)); });
inline constexpr auto learner = model("learner", [](graph& g) {
  g.output("loss", cross_entropy(linear(body(g), "out", 4), g.input<i32>("targets", {B, T})));
});

int main() {
  const model_weights weights = initial_weights(tagger);
  auto net = compile(tagger, weights, {.capacity = {{B, 1}, {T, 4}}});
  auto live = stream<T>(tagger, weights, {.capacity = {{B, 1}, {T, 4}}});
  auto fit = train(learner, sgd{}, weights, {.capacity = {{B, 1}, {T, 4}}});
}
