// expect: {file}:{line}: masks are joined by &, as in causal & window(8) [F0324]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.mask = causal && window(8)})); // <- here
#else
  g.output("y", attention(x, x, x, {.mask = causal & window(8)}));
#endif
});
