// expect: {file}:{line}: at: expected 2 positions in the table [12, 64], found 1 [F0139]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr slopes = parameter(x, "slopes", {12, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.heads = 12, .score = [=](scalar s, scalar, scalar, scalar h) { return s + at(slopes, h); }}); // <- here
#else
  expr y = attention(x, x, x, {.heads = 12, .score = [=](scalar s, scalar q, scalar, scalar h) { return s + at(slopes, h, q % 64); }});
#endif
  g.output("y", y);
});
