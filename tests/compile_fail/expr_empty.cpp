// expect: {file}:{line}: +: an operand is an empty expr, which stands for no value [F0004]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = x + expr{}; // <- here
#else
  expr y = x + 0;
#endif
  g.output("y", y);
});
