// expect: {file}:{line}: rope: .scaling: expected .low above 0 and .high above it, found 4 and 1 [F0357]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = rope(x, {.scaling = rope_scaling::llama3({.low = 4, .high = 1})}); // <- here
#else
  expr y = rope(x, {.scaling = rope_scaling::llama3({.low = 1, .high = 4})});
#endif
  g.output("y", y);
});
