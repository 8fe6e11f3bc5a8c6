// expect: {file}:{line}: conv1d "conv": expected a padding of a number, same, valid or causal, found
//         another mask [F0110]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3, {.padding = window(2)}); // <- here
#else
  expr y = conv1d(x, "conv", 128, 3, {.padding = causal});
#endif
  g.output("y", y);
});
