// expect: {file}:{line}: variance: expected a correction of at least 0, found -1 [F0069]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = variance(x, -1, {.correction = -1}); // <- here
#else
  expr y = variance(x, -1, {.correction = 1});
#endif
  g.output("y", y);
});
