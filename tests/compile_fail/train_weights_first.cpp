// expect: {file}:{line}: the optimizer comes before the weights, as in train(model, adamw{.rate = 3e-4}, weights)
//         [F0330]
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
  auto fit = train(doubled, weights, adamw{.rate = 1e-3}, {.capacity = {{B, 1}, {T, 4}}}); // <- here
#else
  auto fit = train(doubled, adamw{.rate = 1e-3}, weights, {.capacity = {{B, 1}, {T, 4}}});
#endif
}
