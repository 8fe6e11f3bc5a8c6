// expect: {file}:{line}: an input has no name; expected live.step("tokens"_in = ids) [F0294]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto doubled = fovea::model("doubled", [](fovea::graph& g) {
  g.output("y", 2 * g.input<fovea::f32>("x", {B, T}));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 2>& x) {
  using namespace fovea;
  auto live = stream<T>(doubled, weights, {.capacity = {{B, 1}, {T, 8}}});
#ifdef ILL_FORMED
  live.step(x)["y"_out]; // <- here
#else
  live.step("x"_in = x)["y"_out];
#endif
}
