// expect: {file}:{line}: lstm "r": expected 1 to 536870911 hidden units, found 1000000000 [F0174]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = lstm(x, "r", 1000000000); // <- here
#else
  expr y = lstm(x, "r", 100);
#endif
  g.output("y", y);
});
