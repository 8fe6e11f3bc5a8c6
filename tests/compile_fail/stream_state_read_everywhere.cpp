// expect: {file}:{line}: *: cannot be streamed along T: all positions read what is known after the last of them;
//         let them read what is known at each [F0238]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  const auto y = scan(x, zeros(x, {B, 8}), [](expr x_t, expr h) { return scan_step{h, tanh(x_t + h)}; });
#ifdef ILL_FORMED
  g.output("y", x * unsqueeze(y.state, 1)); // <- here
#else
  g.output("y", 2 * y.state);
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
