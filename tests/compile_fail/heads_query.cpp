// expect: {file}:{line}: attention: 12 heads do not divide the 770 features of the query [B, T, 770]; 11 heads
//         or 780 features would fit [F0143]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 770});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.heads = 12}); // <- here
#else
  expr y = attention(x, x, x, {.heads = 10});
#endif
  g.output("y", y);
});
