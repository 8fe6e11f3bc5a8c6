// expect: {file}:{line}: log_sum_exp: expected float32, found int32 [B, T]; use to_float, or embedding for
//         ids [F0043]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr ids = g.input<i32>("ids", {B, T});
#ifdef ILL_FORMED
  expr y = log_sum_exp(ids, T); // <- here
#else
  expr y = log_sum_exp(to_float(ids), T);
#endif
  g.output("y", y);
});
