// expect: {file}:{line}: map: the lambda gives where a boolean and a number to choose from; use to_float [F0200]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = map(x, [](scalar s) { return where(s < 0, s < -1, s); }); // <- here
#else
  expr y = map(x, [](scalar s) { return where(s < 0, to_float(s < -1), s); });
#endif
  g.output("y", y);
});
