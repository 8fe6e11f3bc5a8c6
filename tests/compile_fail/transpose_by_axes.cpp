// expect: {file}:{line}: transpose: it exchanges the last two axes and is told none; permute(x, {0, 2, 1}) gives axes another order
//         [F0333]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", transpose(x, 1, 2)); // <- here
#else
  g.output("y", transpose(x));
#endif
});
