// expect: {file}:{line}: conv1d "conv": expected a stride of 1 to 32767, found 0 [F0109]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3, {.stride = 0}); // <- here
#else
  expr y = conv1d(x, "conv", 128, 3, {.stride = 1});
#endif
  g.output("y", y);
});
