// expect: {file}:{line}: a model has at most 256 different dims [F0024]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  for (int i = 1; i < 400; ++i) slice(x, axis(-1), 0, i); // <- here
#else
  for (int i = 1; i < 100; ++i) slice(x, axis(-1), 0, i);
#endif
  g.output("y", x);
});
