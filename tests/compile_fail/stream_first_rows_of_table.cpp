// expect: {file}:{line}: slice: cannot be streamed along T: it works along positions; take rows of a table by gather(table, range(x,
//         T)) [F0245]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  const expr table = parameter(x, "places", {64, 8});
#ifdef ILL_FORMED
  g.output("y", x + slice(table, axis(0), 0, T)); // <- here
#else
  g.output("y", x + gather(table, range(x, T)));
#endif
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 1}, {T, 16}}});
  [[maybe_unused]] auto y = live.step("x"_in = x)["y"_out];
}
