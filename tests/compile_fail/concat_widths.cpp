// expect: {file}:{line}: concat: cannot join [B, T, 768] and [B, S, 512] along axis 1: the other axes must
//         be equal [F0092]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, S, 512});
#ifdef ILL_FORMED
  expr y = concat(axis(1), a, b); // <- here
#else
  expr y = concat(axis(1), a, linear(b, "wider", 768));
#endif
  g.output("y", y);
});
