// expect: {file}:{line}: permute: axis 2 of [B, T, 768] is named twice; expected each axis once [F0085]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 768});
#ifdef ILL_FORMED
  expr y = permute(x, {0, 2, 2}); // <- here
#else
  expr y = permute(x, {0, 2, 1});
#endif
  g.output("y", y);
});
