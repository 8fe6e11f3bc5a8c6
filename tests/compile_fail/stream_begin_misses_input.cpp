// expect: stream_reader.hpp:14: begin: the input "source" is missing [F0309]
// lines: 20: the call is one of the library, which the user has called
#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>

inline constexpr fovea::dim B{"B"}, T{"T"};

inline constexpr auto scorer = fovea::model("scorer", [](fovea::graph& g) {
  using namespace fovea;
  const expr words = embedding(g.input<i32>("tokens", {B, T}), "words", 9, 4);
  g.output("scores", linear(words + unsqueeze(g.input<f32>("source", {B, 4}), 1), "out", 9));
});

void run(const fovea::model_weights& weights, const xt::xtensor<float, 2>& source) {
  using namespace fovea;
  auto live = stream<T>(scorer, weights, {.capacity = {{B, 1}, {T, 8}}});
  const auto step = [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["scores"_out]; };
#ifdef ILL_FORMED
  static_cast<void>(source);
  stream_reader model(live, step);
#else
  stream_reader model(live, step, [&](auto& s) { s.begin("source"_in = source); });
#endif
  greedy(model, token_ids{1}, {.max_tokens = 3}); // <- here
}
