// expect: {file}:{line}: conv1d "conv": circular padding adds 4 positions, more than the 3 of axis 1 of [B,
//         3, 8] [F0118]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 3, 8});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 8, 3, {.dilation = 4, .padding = circular}); // <- here
#else
  expr y = conv1d(x, "conv", 8, 3, {.dilation = 3, .padding = circular});
#endif
  g.output("y", y);
});
