// expect: {file}:{line}: slice: from 1 to T + 1 is outside the axis of T in [B, T, 768] [F0088]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = slice(x, T, 1, T + 1); // <- here
#else
  expr y = slice(x, T, 1, T);
#endif
  g.output("y", y);
});
