// expect: {file}:{line}: input "x": there is an input of this name already, from {file}:9 [F0002]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = x + g.input<f32>("x", {B, T, 768}); // <- here
#else
  expr y = x + g.input<f32>("z", {B, T, 768});
#endif
  g.output("y", y);
});
