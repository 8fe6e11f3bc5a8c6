// expect: {file}:{line}: take_along: expected int32 indices, found float32 [B, T, 8] [F0362]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = take_along(x, x, -1); // <- here
#else
  expr y = take_along(x, top_k(x, 3).indices, -1);
#endif
  g.output("y", y);
});
