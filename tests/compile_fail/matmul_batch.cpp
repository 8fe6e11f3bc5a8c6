// expect: {file}:{line}: matmul: the leading axes of [B, T, 64] and [S, 64, T] do not fit; all but the last
//         two are equal, missing or 1 [F0050]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 64});
  expr b = g.input<f32>("b", {S, 64, T});
#ifdef ILL_FORMED
  expr y = matmul(a, b); // <- here
#else
  expr y = matmul(a, mean(b, S));
#endif
  g.output("y", y);
});
