// expect: {file}:{line}: input "x": a shape has at most 6 axes, found 7 [F0012]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr y = g.input<f32>("x", {B, T, 1, 2, 3, 4, 5}); // <- here
#else
  expr y = g.input<f32>("x", {B, T, 1, 2, 3, 4});
#endif
  g.output("y", y);
});
