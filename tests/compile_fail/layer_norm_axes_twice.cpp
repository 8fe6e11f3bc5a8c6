// expect: {file}:{line}: layer_norm "ln_1": axis 2 of [B, T, 768] is named twice [F0099]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = layer_norm(x, "ln_1", {.axes = {axis(2), axis(-1)}}); // <- here
#else
  expr y = layer_norm(x, "ln_1", {.axes = {axis(-1)}});
#endif
  g.output("y", y);
});
