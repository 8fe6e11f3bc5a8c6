// expect: {file}:{line}: layer_norm "ln_1": expected a finite epsilon of at least 0, found -0.00001 [F0101]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = layer_norm(x, "ln_1", {.epsilon = -1e-5}); // <- here
#else
  expr y = layer_norm(x, "ln_1", {.epsilon = 1e-5});
#endif
  g.output("y", y);
});
