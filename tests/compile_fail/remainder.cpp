// expect: {file}:{line}: %: values have no remainder; x - y * floor(x / y) is that of x by y [F0331]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", x % 2); // <- here
#else
  g.output("y", x - 2 * floor(x / 2));
#endif
});
