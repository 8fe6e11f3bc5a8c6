// expect: {file}:{line}: +: the operands belong to two different graphs [F0005]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  graph other;
  expr z = other.input<f32>("z", {B, T, 768});
#ifdef ILL_FORMED
  expr y = x + z; // <- here
#else
  expr y = x + x;
#endif
  g.output("y", y);
  (void)z;
});
