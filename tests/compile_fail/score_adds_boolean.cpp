// expect: {file}:{line}: attention: the score lambda computes with a boolean; use where(condition, a, b) [F0145]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.score = [](scalar s, scalar q, scalar k) { return s + (k <= q); }}); // <- here
#else
  expr y = attention(x, x, x, {.score = [](scalar s, scalar q, scalar k) { return s + where(k <= q, 1.0, 0.0); }});
#endif
  g.output("y", y);
});
