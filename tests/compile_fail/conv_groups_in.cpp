// expect: {file}:{line}: conv1d "conv": 5 groups do not divide the 64 input features [F0119]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3, {.groups = 5}); // <- here
#else
  expr y = conv1d(x, "conv", 128, 3, {.groups = 4});
#endif
  g.output("y", y);
});
