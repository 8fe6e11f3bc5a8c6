// expect: {file}:{line}: in "c": conv_transpose1d: cannot be streamed along T: its padding takes the first positions
//         away, so that it sees 1 later position; cut the last ones off by slice instead [F0257]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", pad(conv_transpose1d(slice(x, T, 0, -1), "c", 4, 4, {.stride = 2, .padding = 1}), axis(1), 2, 0)); // <- here
#else
  g.output("y", slice(conv_transpose1d(x, "c", 4, 4, {.stride = 2}), axis(1), 0, 2 * T));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
