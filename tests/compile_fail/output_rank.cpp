// expect: a value of 3 axes does not fit a tensor of 2; assign it to an xt::xtensor of 3, or to an xt::xarray [F0319]
// lines: 20: xtensor assigns by templates in templates
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  g.output("scores", fovea::linear(fovea::embedding(g.input<fovea::i32>("tokens", {B, T}), "words", 9, 4), "out", 2));
});

void run(const fovea::model_weights& weights) {
  using namespace fovea;
  auto net = compile(scorer, weights, {.capacity = {{B, 1}, {T, 8}}});
  const xt::xtensor<int, 2> ids = {{1, 2, 3}};
  const auto out = net("tokens"_in = ids);
#ifdef ILL_FORMED
  xt::xtensor<float, 2> scores = out["scores"_out]; // <- here
#else
  xt::xtensor<float, 3> scores = out["scores"_out];
  xt::xarray<float> any_scores = out["scores"_out] + scores;
#endif
}
