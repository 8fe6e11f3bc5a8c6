// expect: {file}:{line}: group_norm "norm": 5 groups do not divide the 768 features of [B, T, 768] [F0106]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = group_norm(x, "norm", 5); // <- here
#else
  expr y = group_norm(x, "norm", 6);
#endif
  g.output("y", y);
});
