// expect: {file}:{line}: attention: the score lambda reads axis 0 of [12, 64] by head, of which there are 8 [F0147]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr slopes = parameter(x, "slopes", {12, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.heads = 8, .score = [=](scalar s, scalar, scalar k, scalar h) { return s + at(slopes, h, k); }}); // <- here
#else
  expr y = attention(x, x, x, {.heads = 12, .score = [=](scalar s, scalar, scalar k, scalar h) { return s + at(slopes, h, k); }});
#endif
  g.output("y", y);
});
