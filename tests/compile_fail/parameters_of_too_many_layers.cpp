// expect: {file}:{line}: parameter "h.*.mix.weight": [64, 64] in all its layers has more than 1099511627776 elements
//         [F0037]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = repeat("h", 2000000000, x, [](expr z) { return linear(z, "mix", 64); }); // <- here
#else
  expr y = repeat("h", 2000, x, [](expr z) { return linear(z, "mix", 64); });
#endif
  g.output("y", y);
});
