// expect: {file}:{line}: softmax: cannot be streamed along T: it works along positions; let attention or attend weigh them, with a
//         causal mask [F0245]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", softmax(x, T)); // <- here
#else
  g.output("y", softmax(x));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  live.begin();
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
