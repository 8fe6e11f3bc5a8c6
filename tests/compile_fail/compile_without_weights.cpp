// expect: {file}:{line}: the weights come after the model, as in compile(model,
//         load_weights("model.safetensors"), {.capacity = ...}) [F0327]
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
  static_cast<void>(weights); auto net = compile(doubled, {.capacity = {{B, 1}, {T, 4}}}); // <- here
#else
  auto net = compile(doubled, weights, {.capacity = {{B, 1}, {T, 4}}});
#endif
}
