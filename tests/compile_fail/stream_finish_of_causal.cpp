// expect: {file}:{line}: the model looks at no later position: nothing is to come after the steps [F0295]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto causal_one = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", conv1d(x, "c", 8, 3, {.padding = causal}));
});
inline constexpr auto looks_ahead = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", conv1d(x, "c", 8, 3, {.padding = 1}));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto late = stream<T>(looks_ahead, from, {.capacity = {{B, 1}, {T, 16}}});
  late.step("x"_in = x);
#ifdef ILL_FORMED
  auto live = stream<T>(causal_one, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.finish()["y"_out]; // <- here
#else
  [[maybe_unused]] auto y = late.finish()["y"_out];
#endif
}
