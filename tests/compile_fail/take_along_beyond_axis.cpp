// expect: {file}:{line}: take_along: the indices [B, T, 3] are 0 to 7, and axis 2 of [B, T, 4] has 4 elements [F0364]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = take_along(slice(x, -1, 0, 4), top_k(x, 3).indices, -1); // <- here
#else
  expr y = take_along(slice(x, -1, 0, 4), top_k(slice(x, -1, 4, 8), 3).indices, -1);
#endif
  g.output("y", y);
});
