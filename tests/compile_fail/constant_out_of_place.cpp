// expect: {file}:{line}: concat: cannot join [B, T, 768] and [] along axis 0: the other axes must be equal [F0092]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = concat(axis(0), x, constant(x, 1)); // <- here
#else
  expr y = concat(axis(0), x, broadcast(constant(x, 1), {1, T, 768}));
#endif
  g.output("y", y);
});
