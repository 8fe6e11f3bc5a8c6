// expect: {file}:{line}: an input has no name; expected net("tokens"_in = ids) [F0289]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto doubled = fovea::model("doubled", [](fovea::graph& g) {
  g.output("y", 2 * g.input<fovea::f32>("x", {B, T}));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 2>& x) {
  using namespace fovea;
  auto net = compile(doubled, weights, {.capacity = {{B, 1}, {T, 8}}});
#ifdef ILL_FORMED
  net(x)["y"_out]; // <- here
#else
  net("x"_in = x)["y"_out];
#endif
}
