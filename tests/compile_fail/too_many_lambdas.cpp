// expect: {file}:{line}: attention: a model has at most 12 different score and mask lambdas [F0020]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  for (int i = 1; i < 100; ++i) x = attention(x, x, x, {.mask = window(i)}); // <- here
#else
  for (int i = 1; i < 10; ++i) x = attention(x, x, x, {.mask = window(i)});
#endif
  g.output("y", x);
});
