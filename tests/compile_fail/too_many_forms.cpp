// expect: {file}:{line}: a model has at most 64 different dims that are not numbers [F0011]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  for (int i = 1; i < 100; ++i) x = pad(x, axis(1), 0, 1); // <- here
#else
  for (int i = 1; i < 20; ++i) x = pad(x, axis(1), 0, 1);
#endif
  g.output("y", x);
});
