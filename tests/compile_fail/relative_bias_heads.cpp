// expect: {file}:{line}: attention: the score lambda reads axis 1 of [257, 4] by head, of which there are 8 [F0147]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.heads = 8, .score = relative_bias(x, "r", {.heads = 4})}); // <- here
#else
  expr y = attention(x, x, x, {.heads = 8, .score = relative_bias(x, "r", {.heads = 8})});
#endif
  g.output("y", y);
});
