// expect: {file}:{line}: in "c": conv1d: cannot be streamed along T: what it has before the first position is not one
//         number; pad right in front of each window [F0261]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", conv1d(tanh(pad(x, T, 2, 0, 0.5)), "c", 4, 3)); // <- here
#else
  g.output("y", conv1d(pad(tanh(x), T, 2, 0, 0.5), "c", 4, 3));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
