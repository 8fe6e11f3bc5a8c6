// expect: {file}:{line}: repeat "h": with a .period the body takes an expr and an int, which kind of layer it
//         is [F0193]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 8});
#ifdef ILL_FORMED
  expr y = repeat("h", 4, x, [](expr z) { return tanh(z); }, {.period = 2}); // <- here
#else
  expr y = repeat("h", 4, x, [](expr z, int) { return tanh(z); }, {.period = 2});
#endif
  g.output("y", y);
});
