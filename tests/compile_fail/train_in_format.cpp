// expect: {file}:{line}: a model learns in f32, bf16_products or reference: its parameters are float32 [F0302]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4}), y = linear(x, "h", 4);
  g.output("loss", mse(y, x));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
#ifdef ILL_FORMED
  auto fit = train<q8_0>(m, sgd{}, from, {.capacity = {{B, 1}, {T, 8}}}); // <- here
#else
  auto fit = train<reference>(m, sgd{}, from, {.capacity = {{B, 1}, {T, 8}}});
#endif
  fit.step("x"_in = x);
}
