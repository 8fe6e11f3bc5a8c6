// expect: {file}:{line}: map: the lambda computes with a boolean; use where(condition, a, b) [F0200]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = map(x, [](scalar a) { return a * (a < 0); }); // <- here
#else
  expr y = map(x, [](scalar a) { return where(a < 0, a, 0); });
#endif
  g.output("y", y);
});
