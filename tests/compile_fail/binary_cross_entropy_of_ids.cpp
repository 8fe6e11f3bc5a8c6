// expect: {file}:{line}: binary_cross_entropy: expected float32, found int32 [B, T]; use to_float, or
//         embedding for ids [F0043]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  expr ids = g.input<i32>("ids", {B, T});
  expr logits = mean(x, -1);
#ifdef ILL_FORMED
  expr y = binary_cross_entropy(logits, ids); // <- here
#else
  expr y = binary_cross_entropy(logits, to_float(ids));
#endif
  g.output("y", y);
});
