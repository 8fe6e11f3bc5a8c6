// expect: {file}:{line}: reshape: cannot be streamed along T: it mixes positions with other axes; permute first [F0240]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", reshape(x, {B, 8, T})); // <- here
#else
  g.output("y", permute(x, {0, 2, 1}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
