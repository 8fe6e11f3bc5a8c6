// expect: {file}:{line}: variance: a correction of 1 leaves nothing of the 1 element of axis 2 of [B, T, 1] [F0070]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = variance(slice(x, -1, 0, 1), -1); // <- here
#else
  expr y = variance(slice(x, -1, 0, 1), -1, {.correction = 0});
#endif
  g.output("y", y);
});
