// expect: {file}:{line}: slice: no input says how large S is; expected an axis S in the shape of an input [F0035]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = slice(x, T, 0, S); // <- here
#else
  expr y = slice(x, T, 0, T - 1);
#endif
  g.output("y", y);
});
