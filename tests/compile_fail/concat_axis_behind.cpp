// expect: {file}:{line}: the axis comes first, as in concat(-1, x, y) [F0335]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", concat(x, x, -1)); // <- here
#else
  g.output("y", concat(-1, x, x));
#endif
});
