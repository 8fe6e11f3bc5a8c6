// expect: {file}:{line}: linear "up": expected a number of output features of 1 to
//         2147483647, found T [F0042]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = linear(x, "up", T); // <- here
#else
  expr y = linear(x, "up", 512);
#endif
  g.output("y", y);
});
