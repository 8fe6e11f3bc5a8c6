// expect: {file}:{line}: step: there is no input "source"; the inputs are "tokens" [F0307]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  using namespace fovea;
  const expr words = embedding(g.input<i32>("tokens", {B, T}), "words", 9, 4);
  g.output("scores", linear(words + unsqueeze(g.input<f32>("source", {B, 4}), 1), "out", 9));
});

float run(const fovea::model_weights& weights, const xt::xtensor<int, 2>& ids, const xt::xtensor<float, 2>& source) {
  using namespace fovea;
  auto live = stream<T>(scorer, weights, {.capacity = {{B, 1}, {T, 8}}});
#ifdef ILL_FORMED
  return live.step("tokens"_in = ids, "source"_in = source)["scores"_out](0, 0, 0); // <- here
#else
  live.begin("source"_in = source);
  return live.step("tokens"_in = ids)["scores"_out](0, 0, 0);
#endif
}
