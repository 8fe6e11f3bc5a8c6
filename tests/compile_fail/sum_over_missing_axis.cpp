// expect: {file}:{line}: sum: there is no axis 3 in [B, T, 768]; its axes are 0 to 2 [F0072]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = sum(x, axis(3)); // <- here
#else
  expr y = sum(x, axis(2));
#endif
  g.output("y", y);
});
