// expect: {file}:{line}: rope: a model has at most 8 different scalings [F0352]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = x;
  for (int i = 1; i < 100; ++i) y = rope(y, {.scaling = rope_scaling::linear(i)}); // <- here
#else
  expr y = x;
  for (int i = 1; i < 9; ++i) y = rope(y, {.scaling = rope_scaling::linear(i)});
#endif
  g.output("y", y);
});
