// expect: {file}:{line}: attention: cannot be streamed along T: its bias has positions that are not its keys alone
//         [F0252]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), weight = sum(x, axis(-1));
#ifdef ILL_FORMED
  const expr bias = unsqueeze(unsqueeze(weight, 1), 3);
#else
  const expr bias = unsqueeze(unsqueeze(weight, 1), 2);
#endif
  g.output("y", attention(x, x, x, {.mask = causal, .bias = bias})); // <- here
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
