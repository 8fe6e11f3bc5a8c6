// expect: {file}:{line}: bilinear "compare": the leading axes of [B, T, 64] and [B, S, 64] do not fit [F0215]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 64});
  expr b = g.input<f32>("b", {B, S, 64});
#ifdef ILL_FORMED
  expr y = bilinear(a, b, "compare", 2); // <- here
#else
  expr y = bilinear(a, mean(b, S, {.keep = true}), "compare", 2);
#endif
  g.output("y", y);
});
