// expect: {file}:{line}: repeat "h": expected .first to be 0 to 2147483644, found 2147483647 [F0192]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = repeat("h", 3, x, [](expr z) { return linear(z, "mix", 64); }, {.first = 2147483647}); // <- here
#else
  expr y = repeat("h", 3, x, [](expr z) { return linear(z, "mix", 64); }, {.first = 2147483644});
#endif
  g.output("y", y);
});
