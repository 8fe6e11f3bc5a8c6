// expect: {file}:{line}: there is no output "score"; the outputs are "scores" [F0310]
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  g.output("scores", fovea::linear(fovea::embedding(g.input<fovea::i32>("tokens", {B, T}), "words", 9, 4), "out", 2));
});

void run(const fovea::model_weights& weights) {
  using namespace fovea;
  auto net = compile(scorer, weights, {.capacity = {{B, 1}, {T, 8}}});
  const xt::xtensor<int, 2> ids = {{1, 2, 3}};
#ifdef ILL_FORMED
  net("tokens"_in = ids)["score"_out]; // <- here
#else
  net("tokens"_in = ids)["scores"_out];
#endif
}
