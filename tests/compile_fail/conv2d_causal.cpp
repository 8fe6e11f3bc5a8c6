// expect: {file}:{line}: conv2d "conv": expected a padding of a number, same or valid, found causal, which
//         is for time alone [F0110]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 28, 3});
#ifdef ILL_FORMED
  expr y = conv2d(x, "conv", 8, 3, {.padding = causal}); // <- here
#else
  expr y = conv2d(x, "conv", 8, 3, {.padding = same});
#endif
  g.output("y", y);
});
