// expect: {file}:{line}: conv1d "conv": 64 groups do not divide the 100 output features [F0119]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 100, 3, {.groups = 64}); // <- here
#else
  expr y = conv1d(x, "conv", 192, 3, {.groups = 64});
#endif
  g.output("y", y);
});
