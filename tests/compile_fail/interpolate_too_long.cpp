// expect: {file}:{line}: interpolate: from 65537 to 65536 places: expected a product of the sizes below
//         1073741823, or a common divisor [F0388]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 65537, 8});
#ifdef ILL_FORMED
  expr y = interpolate(x, {.to = 65536, .mode = interpolation::linear}); // <- here
#else
  expr y = interpolate(x, {.to = 2 * 65537, .mode = interpolation::linear});
#endif
  g.output("y", y);
});
