// expect: {file}:{line}: input "z": how large S is does not follow from [B, S*W]; expected S in one term, as in 2*S +
//         1, or as an axis of another input [F0034]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"}, W{"W"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = x; g.input<f32>("z", {B, S * W}); // <- here
#else
  expr y = x; g.input<f32>("z", {S * W, W});
#endif
  g.output("y", y);
});
