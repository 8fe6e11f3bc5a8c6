// expect: {file}:{line}: interpolate: .align_corners is of linear and cubic interpolation; the nearest place
//         has no use for it [F0386]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 9, 8});
#ifdef ILL_FORMED
  expr y = interpolate(x, {.to = 5, .align_corners = true}); // <- here
#else
  expr y = interpolate(x, {.to = 5, .mode = interpolation::linear, .align_corners = true});
#endif
  g.output("y", y);
});
