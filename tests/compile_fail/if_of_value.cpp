// expect: {file}:{line}: a value is known only when the model runs, so C++ cannot choose by it; write
//         where(c, a, b) for c ? a : b [F0030]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", x > 0 ? x : 2 * x); // <- here
#else
  g.output("y", where(x > 0, x, 2 * x));
#endif
});
