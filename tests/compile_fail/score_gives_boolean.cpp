// expect: {file}:{line}: attention: a score lambda gives a number, found a boolean; a mask lambda goes to
//         .mask [F0163]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.score = [](scalar, scalar q, scalar k) { return k <= q; }}); // <- here
#else
  expr y = attention(x, x, x, {.mask = [](scalar q, scalar k) { return k <= q; }});
#endif
  g.output("y", y);
});
