// expect: {file}:{line}: learned_positions "wpe": expected a .context and a .width of at least 1, found 512
//         and 0 [F0122]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = x + learned_positions(x, "wpe", {.context = 512}); // <- here
#else
  expr y = x + learned_positions(x, "wpe", {.context = 512, .width = 768});
#endif
  g.output("y", y);
});
