// expect: {file}:{line}: attention: window: expected 0 to 1073741824 positions on either side of the query's own,
//         found -2 [F0158]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.mask = causal & window(-2, 4)}); // <- here
#else
  expr y = attention(x, x, x, {.mask = causal & window(2, 4)});
#endif
  g.output("y", y);
});
