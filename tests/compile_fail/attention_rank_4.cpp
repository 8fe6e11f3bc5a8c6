// expect: {file}:{line}: attention: expected [batch, positions, features] or [positions, features], found
//         query [B, 12, T, 64], key [B, 12, T, 64] and value [B, 12, T, 64] [F0151]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 12, T, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x); // <- here
#else
  expr y = attention(reshape(x, {B * 12, T, 64}), reshape(x, {B * 12, T, 64}), reshape(x, {B * 12, T, 64}));
#endif
  g.output("y", y);
});
