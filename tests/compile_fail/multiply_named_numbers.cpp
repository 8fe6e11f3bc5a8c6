// expect: {file}:{line}: cannot multiply [B, T, width=384] and [B, T, hidden=1536]: the last axis is
//         width=384 and hidden=1536; sizes must be equal, or one of them 1 [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};
inline constexpr dim width{"width", 384}, hidden{"hidden", 1536};

inline constexpr auto m = model("m", [](graph& g) {
  expr a = g.input<f32>("a", {B, T, width});
  expr b = g.input<f32>("b", {B, T, hidden});
#ifdef ILL_FORMED
  expr y = a * b; // <- here
#else
  expr y = a * linear(b, "down", width);
#endif
  g.output("y", y);
});
