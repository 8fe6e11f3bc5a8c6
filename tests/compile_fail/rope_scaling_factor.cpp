// expect: {file}:{line}: rope: .scaling: expected a finite factor above 0, found 0 [F0353]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = rope(x, {.scaling = rope_scaling::linear(0)}); // <- here
#else
  expr y = rope(x, {.scaling = rope_scaling::linear(4)});
#endif
  g.output("y", y);
});
