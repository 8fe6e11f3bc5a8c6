// expect: {file}:{line}: attention: .mask takes a lambda of (query, key[, head[, batch]]) that gives a
//         boolean, or a mask such as `causal` or window(8) [F0149]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.mask = [](scalar q) { return q < 3; }})); // <- here
#else
  g.output("y", attention(x, x, x, {.mask = [](scalar q, scalar) { return q < 3; }}));
#endif
});
