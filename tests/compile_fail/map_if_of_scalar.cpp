// expect: {file}:{line}: map: the lambda chooses by c ? a : b or if; write where(c, a, b) [F0200]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", map(x, [](scalar a) { return a > 0 ? a : 2 * a; })); // <- here
#else
  g.output("y", map(x, [](scalar a) { return where(a > 0, a, 2 * a); }));
#endif
});
