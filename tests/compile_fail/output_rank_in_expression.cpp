// expect: a value of 2 axes does not fit a tensor of 1; assign it to an xt::xtensor of 2, or to an xt::xarray [F0319]
// lines: 20: xtensor assigns by templates in templates
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"};

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  g.output("scores", fovea::linear(g.input<fovea::f32>("x", {B, 4}), "out", 2));
});

void run(const fovea::model_weights& weights) {
  using namespace fovea;
  auto net = compile(scorer, weights, {.capacity = {{B, 8}}});
  const xt::xtensor<float, 2> x = {{1, 2, 3, 4}};
  xt::xtensor<float, 1> bias = net.weights()["out.bias"_param][0];
#ifdef ILL_FORMED
  bias = bias + 2 * net("x"_in = x)["scores"_out]; // <- here
#else
  bias = bias + xt::view(net("x"_in = x)["scores"_out], 0, xt::all());
#endif
}
