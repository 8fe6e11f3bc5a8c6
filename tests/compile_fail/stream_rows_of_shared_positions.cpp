// expect: {file}:{line}: sinusoidal_positions: rows cannot stand at positions of their own along T: an output is of
//         positions that have no batch axis [F0227]
#include <fovea/fovea.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  const expr p = sinusoidal_positions(x); // <- here
#else
  const expr p = x + sinusoidal_positions(x);
#endif
  g.output("p", p);
});

void run(const model_weights& from, const xt::xtensor<float, 3>& x) {
  auto live = stream<T>(m, from, {.capacity = {{B, 4}, {T, 16}}});
  [[maybe_unused]] auto p = live.step("x"_in = x)["p"_out];
  live.reset(2);
}
