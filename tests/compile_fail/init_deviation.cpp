// expect: {file}:{line}: parameter "up.weight": expected a finite number of at least 0 to begin with, found -0.02
//         [F0018]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = linear(x, "up", 64, {.init = init::normal(-0.02)}); // <- here
#else
  expr y = linear(x, "up", 64, {.init = init::normal(0.02)});
#endif
  g.output("y", y);
});
