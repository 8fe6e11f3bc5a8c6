// expect: {file}:{line}: max_pool: a window of 5 spans 5 positions, more than the width of [B, T, 3, 8] and
//         its padding of 0 [F0115]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 3, 8});
#ifdef ILL_FORMED
  expr y = max_pool(x, 5); // <- here
#else
  expr y = max_pool(x, {5, 3});
#endif
  g.output("y", y);
});
