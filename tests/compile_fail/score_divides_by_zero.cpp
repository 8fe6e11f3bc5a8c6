// expect: {file}:{line}: attention: the score lambda divides by 0 [F0145]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.score = [](scalar s, scalar q, scalar k) { return s - (q - k) / 0; }}); // <- here
#else
  expr y = attention(x, x, x, {.score = [](scalar s, scalar q, scalar k) { return s - (q - k) / 2; }});
#endif
  g.output("y", y);
});
