// expect: {file}:{line}: interpolate: axis 1 of [B, T, 8] has T places; .align_corners expected numbers
//         before and after, found 2*T [F0387]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = interpolate(x, {.to = 2 * T, .mode = interpolation::linear, .align_corners = true}); // <- here
#else
  expr y = interpolate(x, {.to = 2 * T, .mode = interpolation::linear});
#endif
  g.output("y", y);
});
