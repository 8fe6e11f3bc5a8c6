// expect: {file}:{line}: cannot add [B, T, 768] and [B, T, 512]: the last axis is 768 and 512; sizes must be
//         equal, or one of them 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

constexpr expr residual(expr x, expr y, source_place at = {__builtin_FILE(), __builtin_LINE()}) {
  const reported_at user(x, at);
  return x + relu(y);
}

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr narrow = linear(x, "narrow", 512);
#ifdef ILL_FORMED
  expr y = residual(x, narrow); // <- here
#else
  expr y = residual(x, linear(narrow, "wide", 768));
#endif
  g.output("y", y);
});
