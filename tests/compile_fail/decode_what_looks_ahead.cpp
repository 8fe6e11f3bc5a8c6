// expect: stream_reader: the model looks at later positions, of which a text that is being written has none; give it causal
//         masks and windows [F0306]
#include <fovea/decoding.hpp>
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = embedding(g.input<i32>("tokens", {B, T}), "embed", 50, 8);
#ifdef ILL_FORMED
  g.output("logits", conv1d(x, "c", 50, 3, {.padding = same})); // <- here
#else
  g.output("logits", conv1d(x, "c", 50, 3, {.padding = causal}));
#endif
});

void run(const model_weights& from) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  stream_reader reader(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
}
