// expect: {file}:{line}: attention: window: expected 1 to 1073741824 positions, the query's own among them, found 0
//         [F0158]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.mask = window(0)}); // <- here
#else
  expr y = attention(x, x, x, {.mask = window(1)});
#endif
  g.output("y", y);
});
