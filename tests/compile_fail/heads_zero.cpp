// expect: {file}:{line}: attention: expected 1 to 32767 heads, found 0 [F0154]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 768});
  expr k = g.input<f32>("k", {B, S, 768});
  expr v = g.input<f32>("v", {B, S, 768});
#ifdef ILL_FORMED
  expr y = attention(q, k, v, {.heads = 0}); // <- here
#else
  expr y = attention(q, k, v, {.heads = 12});
#endif
  g.output("y", y);
});
