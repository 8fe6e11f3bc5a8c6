// expect: {file}:{line}: interpolate: axis 1 of [B, T, 8] has T places; expected a number of times as many,
//         or a share of them, found 40 [F0387]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = interpolate(x, {.to = 40}); // <- here
#else
  expr y = interpolate(x, {.to = 3 * T});
#endif
  g.output("y", y);
});
