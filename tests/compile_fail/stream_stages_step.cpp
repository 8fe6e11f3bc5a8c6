// expect: {file}:{line}: step: there is no input "y"; the inputs are "x" [F0307]
#include <fovea/fovea.hpp>
#include <fovea/runtime/staged_stream.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", repeat("h", 2, x, [](expr y) { return linear(y, "l", 8); }));
});

void run(const model_weights& weights, const rank_group& group, const xt::xtensor<float, 3>& x) {
  auto live = stream_stages<T, 2>(m, weights, group);
  live.begin();
#ifdef ILL_FORMED
  live.begin_step("y"_in = x); // <- here
#else
  live.begin_step("x"_in = x);
#endif
  live.end_step();
}
