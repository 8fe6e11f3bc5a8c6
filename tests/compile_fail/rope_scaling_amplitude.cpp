// expect: {file}:{line}: rope: .scaling: expected a finite .amplitude of at least 0, found -1 [F0358]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = rope(x, {.scaling = rope_scaling::yarn({.factor = 4, .positions = 1024, .amplitude = -1})}); // <- here
#else
  expr y = rope(x, {.scaling = rope_scaling::yarn({.factor = 4, .positions = 1024, .amplitude = 1})});
#endif
  g.output("y", y);
});
