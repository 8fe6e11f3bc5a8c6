// expect: {file}:{line}: attention: alibi has slopes for 4 heads, and there are 8; write alibi(8) [F0157]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.heads = 8, .score = alibi(4)}); // <- here
#else
  expr y = attention(x, x, x, {.heads = 8, .score = alibi(8)});
#endif
  g.output("y", y);
});
