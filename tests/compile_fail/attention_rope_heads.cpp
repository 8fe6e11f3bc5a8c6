// expect: {file}:{line}: attention: rope turns the key [B, T, 16] as 4 heads of 4 features, attention reads it as 1 of 16
//         [F0144]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 64}), q = rope(x, {.heads = 4}), k = linear(x, "k", 16);
#ifdef ILL_FORMED
  const expr y = attention(q, rope(k, {.heads = 4}), k, {.heads = 4, .kv_heads = 1}); // <- here
#else
  const expr y = attention(q, rope(k), k, {.heads = 4, .kv_heads = 1});
#endif
  g.output("y", y);
});
