// expect: {file}:{line}: attend: expected scores [batch, queries, keys] and values [batch, keys, features],
//         found [B, T, 8] and [B, S, 6] [F0165]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 6});
#ifdef ILL_FORMED
  g.output("y", attend(q, k)); // <- here
#else
  g.output("y", attend(matmul(linear(q, "q", 6), transpose(k)), k));
#endif
});
