// expect: {file}:{line}: slice: from 8 to 8 holds nothing; expected at least one element of [B, T, 768] [F0089]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = slice(x, axis(-1), 8, 8); // <- here
#else
  expr y = slice(x, axis(-1), 8, 9);
#endif
  g.output("y", y);
});
