// expect: {file}:{line}: conv1d "conv": padding = same keeps the size of an axis and needs a stride of 1,
//         found 2; give the padding as a number [F0113]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3, {.stride = 2, .padding = same}); // <- here
#else
  expr y = conv1d(x, "conv", 128, 3, {.stride = 2, .padding = 1});
#endif
  g.output("y", y);
});
