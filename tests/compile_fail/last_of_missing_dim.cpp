// expect: {file}:{line}: last: the model has no dim S [F0276]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  const expr x = g.input<f32>("x", {B, T, 8});
  g.output("y", x); // <- here
});

#ifdef ILL_FORMED
inline constexpr auto at_last = last<S>(m);
#else
inline constexpr auto at_last = last<T>(m);
#endif
