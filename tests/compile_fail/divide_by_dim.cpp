// expect: {file}:{line}: /: T is a dim, and a dim is no value; mean(x, T) divides a sum by its size [F0061]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 6});
#ifdef ILL_FORMED
  const expr average = sum(x, T) / T; // <- here
#else
  const expr average = mean(x, T);
#endif
  g.output("average", average);
});
