// expect: {file}:{line}: zeros: no input says how large S is; expected an axis S in the shape of an input [F0035]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"}, S{"S"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = zeros(x, {S, 4}); // <- here
#else
  expr y = zeros(x, {T, 4});
#endif
  g.output("y", y);
});
