// expect: rnnt_network: the predictor looks at later labels, which nobody has said yet; give its windows causal padding
//         [F0384]
#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = embedding(g.input<i32>("labels", {B, S}), "embed", 50, 8);
#ifdef ILL_FORMED
  g.output("predictions", conv1d(x, "c", 16, 3, {.padding = same})); // <- here
#else
  g.output("predictions", conv1d(x, "c", 16, 3, {.padding = causal}));
#endif
});

void run(const model_weights& from) {
  auto live = stream<S>(m, from, {.capacity = {{B, 8}, {S, 4}}});
  rnnt_network network(
      live, [](auto& s, const auto& labels) { return s.step("labels"_in = labels)["predictions"_out]; },
      [](const auto& frames, const auto& predictions) { return frames + predictions; });
}
