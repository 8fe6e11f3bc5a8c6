// expect: {file}:{line}: linear: the name comes before the width, as in linear(x, "f", 64) [F0332]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", linear(x, 64, "f")); // <- here
#else
  g.output("y", linear(x, "f", 64));
#endif
});
