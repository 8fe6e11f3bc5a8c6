// expect: {file}:{line}: cannot add [B, T, 8] and [B, T, 7]: the last axis is 8 and 7; sizes must be
//         equal, or one of them 1 [F0058]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto learned = fovea::model("learned", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 8});
  const fovea::expr y = fovea::linear(x, "a", 8);
#ifdef ILL_FORMED
  const fovea::expr z = y + fovea::linear(x, "b", 7); // <- here
#else
  const fovea::expr z = y + fovea::linear(x, "b", 8);
#endif
  g.output("loss", fovea::mse(z, x));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 3>& x) {
  using namespace fovea;
  auto fit = train(learned, adamw{.rate = 1e-3}, initial_weights(learned), {.capacity = {{B, 1}, {T, 8}}});
  fit.step("x"_in = x);
  fit.evaluate("x"_in = x);
  static_cast<void>(weights);
}
