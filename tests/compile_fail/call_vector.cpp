// expect: {file}:{line}: input "x": expected an xtensor expression of numbers; xt::adapt(values, shape) is one over a std::vector
//         [F0313]
#include <fovea/fovea.hpp>

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  g.output("scores", fovea::linear(g.input<fovea::f32>("x", {2, 3}), "out", 2));
});

void run(const fovea::model_weights& weights) {
  using namespace fovea;
  auto net = compile(scorer, weights);
  const std::vector<float> values(6);
#ifdef ILL_FORMED
  net("x"_in = values); // <- here
#else
  net("x"_in = xt::adapt(values, std::array<std::size_t, 2>{2, 3}));
#endif
}
