// expect: {file}:{line}: input "tokens": expected integers, found floating-point numbers [F0314]
#include <fovea/fovea.hpp>
#include <iostream>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  g.output("scores", fovea::linear(fovea::embedding(g.input<fovea::i32>("tokens", {B, T}), "words", 9, 4), "out", 2));
});

float run(const fovea::model_weights& weights) {
  using namespace fovea;
  auto net = compile(scorer, weights, {.capacity = {{B, 1}, {T, 8}}});
#ifdef ILL_FORMED
  const xt::xtensor<float, 2> ids = {{1, 2, 3}};
#else
  const xt::xtensor<int, 2> ids = {{1, 2, 3}};
#endif
  auto scores = net("tokens"_in = ids)["scores"_out]; // <- here
  const xt::xtensor<float, 3> copy = scores;
  std::cout << scores(0, 0, 0) << xt::amax(scores)() << scores.shape(0) << scores.data()[0];
  for (const float score : scores) std::cout << score;
  return 2 * scores(0, 0, 1) + copy(0, 0, 0);
}
