// expect: finish: the model looks at no later position: steps leave nothing to come [F0295]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", conv1d(x, "c", 8, 3, {.padding = causal})); // <- here
#else
  g.output("y", conv1d(x, "c", 8, 3, {.padding = 1}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  live.step("x"_in = x);
  [[maybe_unused]] auto y = live.finish()["y"_out];
}
