// expect: {file}:{line}: interpolate: expected [..., height, width, features], found [B, 8] [F0385]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 8});
#ifdef ILL_FORMED
  expr y = interpolate(x, {.to = {4, 4}}); // <- here
#else
  expr y = x;
#endif
  g.output("y", y);
});
