// expect: {file}:{line}: conv_transpose1d "conv": expected an output_padding of at least 0 and below the
//         stride or the dilation, 2 and 1, found 2 [F0116]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv_transpose1d(x, "conv", 32, 4, {.stride = 2, .output_padding = 2}); // <- here
#else
  expr y = conv_transpose1d(x, "conv", 32, 4, {.stride = 2, .output_padding = 1});
#endif
  g.output("y", y);
});
