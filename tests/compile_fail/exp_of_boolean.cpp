// expect: {file}:{line}: exp: expected numbers, found boolean [B, T, 768]; use where(condition, a, b) [F0056]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = exp(x < 0.0); // <- here
#else
  expr y = exp(to_float(x < 0.0));
#endif
  g.output("y", y);
});
