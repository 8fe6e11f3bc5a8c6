// expect: {file}:{line}: repeat "h": expected at least one layer, found 0 [F0191]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = repeat("h", 0, x, [](expr z) { return linear(z, "w", 768); }); // <- here
#else
  expr y = repeat("h", 1, x, [](expr z) { return linear(z, "w", 768); });
#endif
  g.output("y", y);
});
