// expect: {file}:{line}: learned_positions "wpe": the 1024 positions of [B, 1024, 768] exceed the context of
//         512 [F0124]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, 1024, 768});
#ifdef ILL_FORMED
  expr y = x + learned_positions(x, "wpe", {.context = 512, .width = 768}); // <- here
#else
  expr y = x + learned_positions(x, "wpe", {.context = 1024, .width = 768});
#endif
  g.output("y", y);
});
