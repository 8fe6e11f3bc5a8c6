// expect: {file}:{line}: avg_pool: cannot be streamed along T: its first means leave out what lies before; use
//         .count_padding = true [F0255]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", avg_pool(x, 3, {.stride = 2, .padding = 1, .count_padding = false})); // <- here
#else
  g.output("y", avg_pool(x, 3, {.stride = 2, .padding = 1}));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
