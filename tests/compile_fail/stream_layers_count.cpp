// expect: {file}:{line}: in "layer.*": sinusoidal_positions: cannot be streamed along T: it counts positions in
//         layers that look ahead, which come later in each of them; count them outside, and carry them [F0234]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", repeat("layer", 2, x, [&](expr y) {
    y = conv1d(y, "c", 8, 3, {.padding = 1});
#ifdef ILL_FORMED
    return y + sinusoidal_positions(y); // <- here
#else
    return y + tanh(y);
#endif
  }));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
