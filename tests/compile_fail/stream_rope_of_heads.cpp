// expect: {file}:{line}: rope: cannot be streamed along T: it counts along another axis than the positions; permute
//         them to the last but one [F0241]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), heads = reshape(x, {B, T, 2, 4});
#ifdef ILL_FORMED
  g.output("y", rope(heads)); // <- here
#else
  g.output("y", rope(permute(heads, {0, 2, 1, 3})));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
