// expect: {file}:{line}: attention: heads are named, as in attention(q, k, v, {.heads = 4}) [F0334]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, 4)); // <- here
#else
  g.output("y", attention(x, x, x, {.heads = 4}));
#endif
});
