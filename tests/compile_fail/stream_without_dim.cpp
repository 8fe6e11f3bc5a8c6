// expect: {file}:{line}: a stream moves along a dim, as in stream<T>(model, weights) [F0329]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto doubled = fovea::model("doubled", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 4});
  g.output("y", fovea::linear(x, "l", 4));
  g.output("loss", fovea::mse(x, fovea::linear(x, "m", 4)));
});

void run(const fovea::model_weights& weights) {
  using namespace fovea;
#ifdef ILL_FORMED
  auto live = stream(doubled, weights, {.capacity = {{B, 1}, {T, 4}}}); // <- here
#else
  auto live = stream<T>(fovea::model("y", [](graph& g) { g.output("y", 2 * g.input<f32>("x", {B, T})); }), weights, {.capacity = {{B, 1}, {T, 4}}});
#endif
}
