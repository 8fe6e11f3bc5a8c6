// expect: {file}:{line}: roll: there is no axis 3 in [B, T, 8]; its axes are 0 to 2 [F0072]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = roll(x, 3, 1); // <- here
#else
  expr y = roll(x, 2, 1);
#endif
  g.output("y", y);
});
