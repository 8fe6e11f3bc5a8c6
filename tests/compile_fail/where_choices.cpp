// expect: {file}:{line}: where: the condition [B, T, 768] and the choices [B, T, 768] and [B, T, 512] do not
//         broadcast [F0066]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, T, 512});
#ifdef ILL_FORMED
  expr y = where(a < 0.0, a, b); // <- here
#else
  expr y = where(a < 0.0, a, linear(b, "wider", 768));
#endif
  g.output("y", y);
});
