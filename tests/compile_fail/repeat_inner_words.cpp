// expect: {file}:{line}: in "h.*": cannot add [B, T, 768] and [B, T, 512]: the last axis is 768 and 512;
//         sizes must be equal, or one of them 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr narrow = linear(x, "narrow", 512);
#ifdef ILL_FORMED
  expr y = repeat("h", 12, x, [narrow](expr z) { return z + narrow; }); // <- here
#else
  expr y = repeat("h", 12, x, [narrow](expr z) { return z + linear(narrow, "wide", 768); });
#endif
  g.output("y", y);
});
