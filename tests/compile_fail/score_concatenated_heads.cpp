// expect: {file}:{line}: attention "w": a score by a network takes one head, found 2 [F0168]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 6});
#ifdef ILL_FORMED
  g.output("y", attention(q, k, k, {.heads = 2, .score = concatenated("w", 5)})); // <- here
#else
  g.output("y", attention(q, k, k, {.score = concatenated("w", 5)}));
#endif
});
