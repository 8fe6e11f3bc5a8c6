// expect: {file}:{line}: conv2d "conv": expected a dilation of 1 to 32767, found -1 [F0109]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 28, 3});
#ifdef ILL_FORMED
  expr y = conv2d(x, "conv", 8, 3, {.dilation = {1, -1}}); // <- here
#else
  expr y = conv2d(x, "conv", 8, 3, {.dilation = {1, 2}});
#endif
  g.output("y", y);
});
