// expect: {file}:{line}: in "layer.*.d": conv1d: cannot be streamed along T: the layers look ahead, and have positions
//         of two rates; write the layers out [F0235]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T * 2, 8});
  g.output("y", repeat("layer", 2, x, [&](expr y) {
    y = conv1d(y, "c", 8, 3, {.padding = 1});
#ifdef ILL_FORMED
    const expr down = conv1d(y, "d", 8, 2, {.stride = 2}); // <- here
    return y + conv_transpose1d(down, "e", 8, 2, {.stride = 2});
#else
    return y + conv1d(y, "d", 8, 2, {.padding = causal});
#endif
  }));
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
