// expect: {file}:{line}: last: no output has an axis T [F0275]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  g.output("y", mean(x, T)); // <- here
#else
  g.output("y", mean(x, axis(2)));
#endif
});

inline constexpr auto at_last = last<T>(m);
