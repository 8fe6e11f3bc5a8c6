// expect: {file}:{line}: conv_transpose1d "conv": a padding of 3 leaves nothing of [B, 1, 64] under windows
//         of 4 [F0117]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 1, 64});
#ifdef ILL_FORMED
  expr y = conv_transpose1d(x, "conv", 32, 4, {.padding = 3}); // <- here
#else
  expr y = conv_transpose1d(x, "conv", 32, 4, {.padding = 1});
#endif
  g.output("y", y);
});
