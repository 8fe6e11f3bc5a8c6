// expect: {file}:{line}: slice: from 0 to 769 is outside the axis of 768 in [B, T, 768] [F0088]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = slice(x, axis(-1), 0, 769); // <- here
#else
  expr y = slice(x, axis(-1), 0, 768);
#endif
  g.output("y", y);
});
