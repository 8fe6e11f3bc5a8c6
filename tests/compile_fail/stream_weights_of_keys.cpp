// expect: {file}:{line}: attention: cannot be streamed along T: the weights of each key, which a map and hard or
//         local attention need, are of all positions; use soft attention [F0243]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.mask = causal, .mode = hard})); // <- here
#else
  g.output("y", attention(x, x, x, {.mask = causal, .mode = soft}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
