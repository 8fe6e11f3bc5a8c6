// expect: {file}:{line}: size: there is no axis 3 in [B, T, 64] [F0031]
#include <fovea/dsl.hpp>

using namespace fovea;

inline constexpr dim B{"B"}, T{"T"};

inline constexpr auto m = model("m", [](graph& g) {
  expr x = g.input<f32>("x", {B, T, 64});
#ifdef ILL_FORMED
  expr y = zeros(x, {x.size(3), 64}); // <- here
#else
  expr y = zeros(x, {x.size(2), 64});
#endif
  g.output("y", y);
});
