// expect: {file}:{line}: stack: cannot join float32 [B, T, 8] and float32 [B, T, 7]; their types and shapes
//         must be equal [F0096]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  expr narrow = linear(x, "narrow", 7);
#ifdef ILL_FORMED
  expr y = stack(0, x, narrow); // <- here
#else
  expr y = stack(0, x, linear(narrow, "wide", 8));
#endif
  g.output("y", y);
});
