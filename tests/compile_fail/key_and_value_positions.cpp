// expect: {file}:{line}: attention: key [B, T, 64] and value [B, S, 64] must have as many positions, found T
//         and S [F0153]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr q = g.input<f32>("q", {B, T, 64});
  expr k = g.input<f32>("k", {B, S, 64});
  expr v = g.input<f32>("v", {B, S, 64});
#ifdef ILL_FORMED
  expr y = attention(k, q, v); // <- here
#else
  expr y = attention(q, k, v);
#endif
  g.output("y", y);
});
