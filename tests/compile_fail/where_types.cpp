// expect: {file}:{line}: where: expected two choices of numbers or two of booleans, found boolean [B, T, 768] and
//         float32 []; use to_float [F0065]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = where(x < 0, x < -1, 0.5); // <- here
#else
  expr y = where(x < 0, to_float(x < -1), 0.5);
#endif
  g.output("y", y);
});
