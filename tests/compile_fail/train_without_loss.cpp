// expect: {file}:{line}: the model has no output "loss" to learn by [F0301]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto without = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  g.output("y", linear(x, "h", 4));
});
inline constexpr auto with = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4});
  g.output("loss", mse(linear(x, "h", 4), x));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
#ifdef ILL_FORMED
  auto fit = train(without, sgd{}, from, {.capacity = {{B, 1}, {T, 8}}}); // <- here
#else
  auto fit = train(with, sgd{}, from, {.capacity = {{B, 1}, {T, 8}}});
#endif
  fit.step("x"_in = x);
}
