// expect: {file}:{line}: conv2d "conv": a window of 5 spans 5 positions, more than the height of [B, 4, T,
//         3] and its padding of 0 [F0115]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 4, T, 3});
#ifdef ILL_FORMED
  expr y = conv2d(x, "conv", 8, {5, 1}); // <- here
#else
  expr y = conv2d(x, "conv", 8, {4, 1});
#endif
  g.output("y", y);
});
