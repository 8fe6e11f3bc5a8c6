// expect: {file}:{line}: attention: 5 key heads do not divide 12 query heads [F0155]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 768});
  expr k = g.input<f32>("k", {B, S, 320});
  expr v = g.input<f32>("v", {B, S, 320});
#ifdef ILL_FORMED
  expr y = attention(q, k, v, {.heads = 12, .kv_heads = 5}); // <- here
#else
  expr y = attention(q, slice(k, axis(-1), 0, 256), slice(v, axis(-1), 0, 256), {.heads = 12, .kv_heads = 4});
#endif
  g.output("y", y);
});
