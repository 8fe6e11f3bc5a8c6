// expect: {file}:{line}: top_k: expected 1 to 8 elements of the last axis of [B, T, 8], found 9 [F0365]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = top_k(x, 9).values; // <- here
#else
  expr y = top_k(x, 8).values;
#endif
  g.output("y", y);
});
