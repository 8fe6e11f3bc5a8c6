// expect: {file}:{line}: attention: hard attention takes as many key heads as heads, found 1 and 2 [F0169]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 6});
#ifdef ILL_FORMED
  g.output("y", attention(q, linear(k, "k", 4), k, {.heads = 2, .kv_heads = 1, .mode = hard})); // <- here
#else
  g.output("y", attention(q, linear(k, "k", 8), k, {.heads = 2, .mode = hard}));
#endif
});
