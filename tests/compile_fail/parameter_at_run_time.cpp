// expect: {file}:{line}: parameter "positions": its shape [T, 768] has T, known only at run time; a
//         parameter's dims are numbers [F0044]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = x + parameter(x, "positions", {T, 768}); // <- here
#else
  expr y = x + learned_positions(x, "positions", {.context = 512, .width = 768});
#endif
  g.output("y", y);
});
