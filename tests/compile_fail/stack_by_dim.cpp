// expect: {file}:{line}: stack: the new axis is named by its position, as 0 or -1, found T [F0093]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = stack(T, x, x); // <- here
#else
  expr y = stack(1, x, x);
#endif
  g.output("y", y);
});
