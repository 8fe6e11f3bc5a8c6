// expect: {file}:{line}: max_pool: expected [..., time, features], found [64] [F0108]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {64});
#ifdef ILL_FORMED
  expr y = max_pool(x, 2); // <- here
#else
  expr y = max_over(x, axis(0));
#endif
  g.output("y", y);
});
