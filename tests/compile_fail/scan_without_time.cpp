// expect: {file}:{line}: scan: there is no axis T in [B, 4] [F0074]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 4}), h = g.input<f32>("h", {B, 4});
  const auto add = [](expr x_t, expr s) { return scan_step{s, s + x_t}; };
#ifdef ILL_FORMED
  g.output("y", scan(mean(x, T), h, add, {.over = T})); // <- here
#else
  g.output("y", scan(x, h, add, {.over = T}));
#endif
});
