// expect: {file}:{line}: input: cannot be streamed along T: its axis T + 1 is not T, nor T divided or multiplied by a
//         number [F0237]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  const expr x = g.input<f32>("x", {B, T + 1, 8}); // <- here
  g.output("y", slice(x, axis(1), 0, T));
#else
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", x);
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
