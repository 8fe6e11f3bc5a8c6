// expect: {file}:{line}: input "x": axis 1 is 3000000000, expected 1 to 2147483647 [F0014]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr y = g.input<f32>("x", {B, 3000000000}); // <- here
#else
  expr y = g.input<f32>("x", {B, 2147483647});
#endif
  g.output("y", y);
});
