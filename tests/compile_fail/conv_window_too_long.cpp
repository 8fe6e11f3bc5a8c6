// expect: {file}:{line}: conv1d "conv": a window of 4 spans 10 positions, more than the time of [B, 7, 64]
//         and its padding of 2 [F0115]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 7, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 4, {.dilation = 3, .padding = 1}); // <- here
#else
  expr y = conv1d(x, "conv", 128, 4, {.dilation = 3, .padding = 2});
#endif
  g.output("y", y);
});
