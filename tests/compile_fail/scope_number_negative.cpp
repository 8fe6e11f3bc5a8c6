// expect: {file}:{line}: scope "layer": expected a number of at least 0, found -2 [F0032]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  auto s = scope(x, "layer", -2); expr y = linear(x, "q", 768); // <- here
#else
  auto s = scope(x, "layer", 2); expr y = linear(x, "q", 768);
#endif
  g.output("y", y);
});
