// expect: {file}:{line}: log_sum_exp: there is no axis 3 in [B, T, 8]; its axes are 0 to 2 [F0072]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = log_sum_exp(x, 3); // <- here
#else
  expr y = log_sum_exp(x, 2);
#endif
  g.output("y", y);
});
