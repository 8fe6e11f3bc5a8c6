// expect: {file}:{line}: conv1d "conv": the last axis of [B, 64, T] is T, known only at run time; expected
//         a number of features [F0040]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 64, T});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3); // <- here
#else
  expr y = conv1d(transpose(x), "conv", 128, 3);
#endif
  g.output("y", y);
});
