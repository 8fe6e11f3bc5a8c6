// expect: {file}:{line}: attention: .score takes a lambda of (score, query, key[, head[, batch]]) that gives
//         a number, or a score such as `dot` or general("w") [F0148]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", attention(x, x, x, {.score = [](scalar s, scalar q) { return s * q; }})); // <- here
#else
  g.output("y", attention(x, x, x, {.score = [](scalar s, scalar q, scalar) { return s * q; }}));
#endif
});
