// expect: {file}:{line}: concat: cannot join int32 [B, T, 1] and float32 [B, T, 768] [F0091]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr ids = g.input<i32>("ids", {B, T});
#ifdef ILL_FORMED
  expr y = concat(T, unsqueeze(ids, -1), x); // <- here
#else
  expr y = concat(axis(-1), to_float(unsqueeze(ids, -1)), x);
#endif
  g.output("y", y);
});
