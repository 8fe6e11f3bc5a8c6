// expect: {file}:{line}: input "x": axis 1 is 0, expected 1 to 2147483647 [F0014]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr y = g.input<f32>("x", {B, 0}); // <- here
#else
  expr y = g.input<f32>("x", {B, 1});
#endif
  g.output("y", y);
});
