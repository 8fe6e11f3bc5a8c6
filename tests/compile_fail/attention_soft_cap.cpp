// expect: {file}:{line}: attention: expected a finite soft cap of at least 0, found -50 [F0160]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = attention(x, x, x, {.soft_cap = -50}); // <- here
#else
  expr y = attention(x, x, x, {.soft_cap = 50});
#endif
  g.output("y", y);
});
