// expect: {file}:{line}: there is no input "y"; the inputs are "x" [F0307]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto learned = fovea::model("learned", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 8});
  g.output("loss", fovea::mse(fovea::linear(x, "a", 8), x));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 3>& x) {
  using namespace fovea;
  auto fit = train(learned, adamw{.rate = 1e-3}, weights, {.capacity = {{B, 1}, {T, 8}}});
#ifdef ILL_FORMED
  fit.step("y"_in = x); // <- here
#else
  fit.step("x"_in = x);
#endif
}
