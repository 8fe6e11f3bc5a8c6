// expect: {file}:{line}: mean: cannot be streamed along T: it needs all positions; a scan can carry what it needs of those before
//         [F0245]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", mean(x, T)); // <- here
#else
  g.output("y", mean(x, axis(2)));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  live.begin();
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
