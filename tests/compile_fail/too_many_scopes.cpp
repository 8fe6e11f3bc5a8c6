// expect: {file}:{line}: scope "layer": a model has at most 4096 scopes [F0015]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  for (int i = 0; i < 4096; ++i) auto s = scope(x, "layer", i); // <- here
#else
  for (int i = 0; i < 4095; ++i) auto s = scope(x, "layer", i);
#endif
  g.output("y", x);
});
