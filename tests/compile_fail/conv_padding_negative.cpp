// expect: {file}:{line}: conv1d "conv": expected a padding of 0 to 32767, found -1 [F0114]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3, {.padding = -1}); // <- here
#else
  expr y = conv1d(x, "conv", 128, 3, {.padding = 1});
#endif
  g.output("y", y);
});
