// expect: {file}:{line}: concat: axis 0 of [4000000000] is larger than 2147483647 [F0036]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = concat(axis(0), range(x, 2000000000), range(x, 2000000000)); // <- here
#else
  expr y = concat(axis(0), range(x, 2000), range(x, 2000));
#endif
  g.output("y", y);
});
