// expect: {file}:{line}: max_pool: cannot be streamed along T: its axis 2*T/3 is not T, nor T divided or multiplied
//         by a number [F0237]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8}), twice = reshape(x, {B, 2 * T, 4});
#ifdef ILL_FORMED
  g.output("y", max_pool(twice, 3)); // <- here
#else
  g.output("y", max_pool(twice, 4));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
