// expect: {file}:{line}: conv1d "conv": expected [..., time, features], found [64] [F0108]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3); // <- here
#else
  expr y = linear(x, "conv", 128);
#endif
  g.output("y", y);
});
