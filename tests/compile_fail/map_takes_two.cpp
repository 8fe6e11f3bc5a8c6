// expect: {file}:{line}: map: the lambda takes 1 scalar, one for each value, and gives a scalar [F0202]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", map(x, [](scalar a, scalar b) { return a + b; })); // <- here
#else
  g.output("y", map(x, x, [](scalar a, scalar b) { return a + b; }));
#endif
});
