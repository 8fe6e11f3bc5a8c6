// expect: {file}:{line}: attention "w": expected a hidden layer of at least 1, found 0 [F0166]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr q = g.input<f32>("q", {B, T, 8}), k = g.input<f32>("k", {B, S, 6});
#ifdef ILL_FORMED
  g.output("y", attention(q, k, k, {.score = additive("w", 0)})); // <- here
#else
  g.output("y", attention(q, k, k, {.score = additive("w", 5)}));
#endif
});
