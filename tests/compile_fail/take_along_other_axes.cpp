// expect: {file}:{line}: take_along: cannot take elements of [B, T, 8] by indices [B, T] along axis 2: the other axes
//         must be equal [F0363]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = take_along(x, argmax(x, -1), -1); // <- here
#else
  expr y = take_along(x, argmax(x, -1, {.keep = true}), -1);
#endif
  g.output("y", y);
});
