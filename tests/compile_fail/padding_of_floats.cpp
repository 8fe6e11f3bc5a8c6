// expect: {file}:{line}: padding: expected a number or int32 [batch], found float32 [B] [F0142]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr lengths = g.input<f32>("lengths", {B});
  expr counts = g.input<i32>("counts", {B});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.mask = padding(lengths)}); // <- here
#else
  expr y = attention(x, x, x, {.mask = padding(counts)});
#endif
  g.output("y", y);
  g.output("lengths", lengths + counts);
});
