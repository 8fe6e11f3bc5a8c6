// expect: stream_stages: a stage looks at later positions, which the next one would take for earlier ones; give the model
//         causal masks and windows [F0346]
#include <fovea/fovea.hpp>
#include <fovea/runtime/staged_stream.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", repeat("h", 2, x, [](expr y) { return conv1d(y, "c", 8, 3, {.padding = same}); })); // <- here
#else
  g.output("y", repeat("h", 2, x, [](expr y) { return conv1d(y, "c", 8, 3, {.padding = causal}); }));
#endif
});

auto made(const model_weights& weights, const rank_group& group) {
  return stream_stages<T, 2>(m, weights, group);
}
