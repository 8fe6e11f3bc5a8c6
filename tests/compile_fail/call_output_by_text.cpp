// expect: {file}:{line}: an output is named as in out["logits"_out] [F0326]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto doubled = fovea::model("doubled", [](fovea::graph& g) {
  const fovea::expr x = g.input<fovea::f32>("x", {B, T, 4});
  g.output("y", fovea::linear(x, "l", 4));
  g.output("loss", fovea::mse(x, fovea::linear(x, "m", 4)));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 3>& x) {
  using namespace fovea;
  auto net = compile(doubled, weights, {.capacity = {{B, 1}, {T, 4}}});
#ifdef ILL_FORMED
  net("x"_in = x)["y"]; // <- here
#else
  net("x"_in = x)["y"_out];
#endif
}
