// expect: {file}:{line}: cannot multiply [B, T, 768] and [B, T]: the last axis is 768 and T; unsqueeze([B, T],
//         2) sets an axis of 1 behind its own [F0058]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
  expr mask = g.input<f32>("mask", {B, T});
#ifdef ILL_FORMED
  expr y = x * mask; // <- here
#else
  expr y = x * unsqueeze(mask, 2);
#endif
  g.output("y", y);
});
