// expect: {file}:{line}: rope: .scaling: expected a finite number of .positions above 1, found 0 [F0354]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = rope(x, {.scaling = rope_scaling::yarn({.factor = 4})}); // <- here
#else
  expr y = rope(x, {.scaling = rope_scaling::yarn({.factor = 4, .positions = 32768})});
#endif
  g.output("y", y);
});
