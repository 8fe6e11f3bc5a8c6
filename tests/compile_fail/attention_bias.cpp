// expect: {file}:{line}: attention: the bias [8, T, T] does not broadcast to the scores [B, 12, T, T] [F0162]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr bias = g.input<f32>("bias", {8, T, T});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.heads = 12, .bias = bias}); // <- here
#else
  expr y = attention(x, x, x, {.heads = 8, .bias = bias});
#endif
  g.output("y", y);
});
