// expect: {file}:{line}: begin: there is no input "tokens"; it takes none [F0307]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  g.output("scores", fovea::linear(fovea::embedding(g.input<fovea::i32>("tokens", {B, T}), "words", 9, 4), "out", 2));
});

void run(const fovea::model_weights& weights, const xt::xtensor<int, 2>& ids) {
  using namespace fovea;
  auto live = stream<T>(scorer, weights, {.capacity = {{B, 1}, {T, 8}}});
#ifdef ILL_FORMED
  live.begin("tokens"_in = ids); // <- here
#else
  live.begin();
  live.step("tokens"_in = ids);
#endif
}
