// expect: {file}:{line}: learned_positions "wpe": expected an .offset of 0 to 31, found 32 [F0123]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = x + learned_positions(x, "wpe", {.context = 32, .width = 64, .offset = 32}); // <- here
#else
  expr y = x + learned_positions(x, "wpe", {.context = 32, .width = 64, .offset = 2});
#endif
  g.output("y", y);
});
