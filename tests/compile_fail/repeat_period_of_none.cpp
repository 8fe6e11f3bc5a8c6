// expect: {file}:{line}: repeat "h": the body takes the kind of a layer, an int; expected a .period of at
//         least 1, found none [F0194]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
  const auto body = [](expr z, int phase) { return phase == 0 ? z : tanh(z); };
#ifdef ILL_FORMED
  expr y = repeat("h", 4, x, body); // <- here
#else
  expr y = repeat("h", 4, x, body, {.period = 2});
#endif
  g.output("y", y);
});
