// expect: {file}:{line}: max_pool: expected a stride of 1 to 32767, found -2 [F0109]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = max_pool(x, 2, {.stride = -2}); // <- here
#else
  expr y = max_pool(x, 2, {.stride = 2});
#endif
  g.output("y", y);
});
