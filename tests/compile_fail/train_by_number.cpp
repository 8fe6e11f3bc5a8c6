// expect: {file}:{line}: what comes behind the model is the optimizer, such as adamw{.rate = 3e-4}, and then the
//         weights [F0303]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto learned = fovea::model("learned", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 8});
  g.output("loss", fovea::mse(fovea::linear(x, "a", 8), x));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 3>& x) {
  using namespace fovea;
#ifdef ILL_FORMED
  auto fit = train(learned, 1e-3, weights, {.capacity = {{B, 1}, {T, 8}}}); // <- here
#else
  auto fit = train(learned, adamw{.rate = 1e-3}, weights, {.capacity = {{B, 1}, {T, 8}}});
#endif
  static_cast<void>(fit), static_cast<void>(x);
}
