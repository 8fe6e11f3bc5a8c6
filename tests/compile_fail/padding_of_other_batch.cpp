// expect: {file}:{line}: attention: the mask lambda reads axis 0 of [S] by batch row, of which there are B [F0147]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr lengths = g.input<i32>("lengths", {S});
  expr counts = g.input<i32>("counts", {B});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.mask = padding(lengths)}); // <- here
#else
  expr y = attention(x, x, x, {.mask = padding(counts)});
#endif
  g.output("y", y);
  g.output("lengths", lengths);
  g.output("counts", counts);
});
