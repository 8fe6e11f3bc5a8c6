// expect: {file}:{line}: attention: cannot be streamed along T: a query sees 8 later keys; join its mask with causal
//         [F0251]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), bias = unsqueeze(matmul(x, transpose(x)), 1);
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.mask = window(32, 8), .bias = bias})); // <- here
#else
  g.output("y", attention(x, x, x, {.mask = window(32, 8) & causal, .bias = bias}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
