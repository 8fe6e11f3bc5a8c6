// expect: {file}:{line}: attention: query [N, T, 64], key [B, S, 64] and value [B, S, 64] must have the same
//         batch axis [F0152]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};
inline constexpr dim N{"N"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {N, T, 64});
  expr k = g.input<f32>("k", {B, S, 64});
  expr v = g.input<f32>("v", {B, S, 64});
#ifdef ILL_FORMED
  expr y = attention(q, k, v); // <- here
#else
  expr y = attention(k, k, v);
#endif
  g.output("y", y);
  g.output("q", q);
});
