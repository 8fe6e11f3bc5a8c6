// expect: {file}:{line}: repeat "h": the body turns float32 [B, T, 768] into boolean [B, T, 768]; what a
//         repeat carries keeps its shape [F0197]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = repeat("h", 12, x, [](expr z) { return z < 0.0; }); // <- here
#else
  expr y = repeat("h", 12, x, [](expr z) { return where(z < 0.0, z, 0.0); });
#endif
  g.output("y", y);
});
