// expect: {file}:{line}: conv_transpose2d "conv": expected a padding of a number or valid, found same,
//         which says how to read an axis, not how long to make one [F0120]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 28, 3});
#ifdef ILL_FORMED
  expr y = conv_transpose2d(x, "conv", 32, 4, {.stride = 2, .padding = same}); // <- here
#else
  expr y = conv_transpose2d(x, "conv", 32, 4, {.stride = 2, .padding = valid});
#endif
  g.output("y", y);
});
