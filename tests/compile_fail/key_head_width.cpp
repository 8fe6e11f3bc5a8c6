// expect: {file}:{line}: attention: a query head of [B, T, 768] has 64 features and a key head of [B, S,
//         384] has 32; they must be equal [F0156]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 768});
  expr k = g.input<f32>("k", {B, S, 384});
  expr v = g.input<f32>("v", {B, S, 768});
#ifdef ILL_FORMED
  expr y = attention(q, k, v, {.heads = 12}); // <- here
#else
  expr y = attention(q, linear(k, "k", 768), v, {.heads = 12});
#endif
  g.output("y", y);
});
