// expect: {file}:{line}: cannot join [B, T, 768] and [B, T, 512] by <: the last axis is 768 and 512; sizes
//         must be equal, or one of them 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, 768});
  expr b = g.input<f32>("b", {B, T, 512});
#ifdef ILL_FORMED
  expr y = a < b; // <- here
#else
  expr y = to_float(a < mean(b, axis(-1), {.keep = true}));
#endif
  g.output("y", y);
});
