// expect: {file}:{line}: permute: expected each of the 3 axes of [B, T, 768] once, found 2 [F0086]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = permute(x, {1, 0}); // <- here
#else
  expr y = permute(x, {1, 0, 2});
#endif
  g.output("y", y);
});
