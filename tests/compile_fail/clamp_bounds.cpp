// expect: {file}:{line}: clamp: expected the lower bound first, found 6 and 0 [F0068]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = clamp(x, 6, 0); // <- here
#else
  expr y = clamp(x, 0, 6);
#endif
  g.output("y", y);
});
