// expect: {file}:{line}: conv2d "conv": expected [..., height, width, features], found [T, 64] [F0108]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {T, 64});
#ifdef ILL_FORMED
  expr y = conv2d(x, "conv", 128, 3); // <- here
#else
  expr y = conv1d(x, "conv", 128, 3);
#endif
  g.output("y", y);
});
