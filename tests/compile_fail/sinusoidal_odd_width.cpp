// expect: {file}:{line}: sinusoidal_positions: expected an even number of features, found 767 [F0127]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 767});
#ifdef ILL_FORMED
  expr y = sinusoidal_positions(x); // <- here
#else
  expr y = sinusoidal_positions(x, {.width = 768});
#endif
  g.output("y", y);
});
