// expect: {file}:{line}: +: expected numbers on both sides, found boolean [B, T, 768] and float32 [B, T,
//         768]; use to_float or where [F0059]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = (x < 0.0) + x; // <- here
#else
  expr y = to_float(x < 0.0) + x;
#endif
  g.output("y", y);
});
