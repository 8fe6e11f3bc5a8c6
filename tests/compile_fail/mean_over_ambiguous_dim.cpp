// expect: {file}:{line}: mean: T occurs twice in [B, T, T]; say axis(1) or axis(2) [F0073]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, T});
#ifdef ILL_FORMED
  expr y = mean(x, T); // <- here
#else
  expr y = mean(x, axis(2));
#endif
  g.output("y", y);
});
