// expect: {file}:{line}: attention: a mask lambda gives a boolean, found a number; a score lambda goes to
//         .score [F0164]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.mask = [](scalar q, scalar k) { return q - k; }}); // <- here
#else
  expr y = attention(x, x, x, {.mask = [](scalar q, scalar k) { return q - k < 8; }});
#endif
  g.output("y", y);
});
