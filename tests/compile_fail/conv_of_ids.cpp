// expect: {file}:{line}: conv1d "conv": expected float32, found int32 [B, T, 64]; use to_float, or
//         embedding for ids [F0043]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<i32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = conv1d(x, "conv", 128, 3); // <- here
#else
  expr y = conv1d(to_float(x), "conv", 128, 3);
#endif
  g.output("y", y);
});
