// expect: {file}:{line}: conv1d "conv": expected a number of output features of 1 to
//         2147483647, found T [F0042]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", T, 3); // <- here
#else
  expr y = conv1d(x, "conv", 32, 3);
#endif
  g.output("y", y);
});
