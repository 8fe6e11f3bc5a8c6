// expect: {file}:{line}: elu: expected numbers, found boolean [B, T, 8]; use where(condition, a, b) [F0056]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = elu(x > 0); // <- here
#else
  expr y = elu(x);
#endif
  g.output("y", y);
});
