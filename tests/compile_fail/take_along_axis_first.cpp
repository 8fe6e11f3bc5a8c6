// expect: {file}:{line}: the indices come before the axis, as in take_along(x, indices, -1) [F0373]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 11});
  expr i = g.input<i32>("i", {B, T, 2});
#ifdef ILL_FORMED
  expr y = take_along(x, -1, i); // <- here
#else
  expr y = take_along(x, i, -1);
#endif
  g.output("y", y);
});
