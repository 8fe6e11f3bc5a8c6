// expect: {file}:{line}: conv_transpose1d "conv": expected a padding of a number or valid, found circular,
//         which says how to read an axis, not how long to make one [F0120]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = conv_transpose1d(x, "conv", 8, 3, {.padding = circular}); // <- here
#else
  expr y = conv_transpose1d(x, "conv", 8, 3, {.padding = 1});
#endif
  g.output("y", y);
});
