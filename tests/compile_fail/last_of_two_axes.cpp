// expect: {file}:{line}: last: output "map" [B, 2, T, T] has 2 axes of T; expected one [F0274]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("map", attention_map(x, x, x, {.heads = 2})); // <- here
#else
  g.output("map", attention(x, x, x, {.heads = 2}));
#endif
});

inline constexpr auto at_last = last<T>(m);
