// expect: {file}:{line}: input "x": axis 1: a dim's arithmetic is too long, exceeds 64 bits, or divides by a number below 1
//         [F0013]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
#ifdef ILL_FORMED
  expr y = g.input<f32>("x", {T, T / 0}); // <- here
#else
  expr y = g.input<f32>("x", {T, T / 2});
#endif
  g.output("y", y);
});
