// expect: {file}:{line}: input "x": axis 0: a dim's arithmetic is too long, exceeds 64 bits, or divides by a number below 1
//         [F0013]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr y = g.input<f32>("x", {B * T * S * B * T}); // <- here
#else
  expr y = g.input<f32>("x", {B * T * S * B, B, T, S});
#endif
  g.output("y", y);
});
