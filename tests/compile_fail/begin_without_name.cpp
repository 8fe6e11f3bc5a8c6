// expect: {file}:{line}: an input has no name; expected live.begin("source"_in = values) [F0291]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto moving = fovea::model("moving", [](fovea::graph& g) {
  g.output("y", fovea::relu(g.input<fovea::f32>("x", {B, T, 8})));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 3>& x) {
  using namespace fovea;
  auto live = stream<T>(moving, weights, {.capacity = {{B, 1}, {T, 8}}});
#ifdef ILL_FORMED
  live.begin(x); // <- here
#else
  live.begin();
  live.step("x"_in = x);
#endif
}
